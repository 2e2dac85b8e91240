/** Reading `details` whose shape nobody guarantees: an older version, another extension or a hand wrote them. */

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The number, or 0 for what is none, negative or endless. */
export const amountOf = (value: unknown): number =>
  typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : 0;

/** The same as a whole number. */
export const countIn = (value: unknown): number => Math.floor(amountOf(value));

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textsOf = (value: unknown): string[] =>
  listOf(value).filter((entry): entry is string => typeof entry === "string");
