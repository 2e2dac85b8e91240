const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Can it follow `tools.`? */
export const isPlainName = (name: string): boolean => IDENTIFIER.test(name);

/** The identifier it is also bound under. */
export function identifierForm(name: string): string {
  const form = name.replace(/[^\w$]/g, "_");
  return /^\d/.test(form) ? `_${form}` : form;
}
