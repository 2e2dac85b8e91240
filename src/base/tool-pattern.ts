/** Does an entry of a tool list mean this tool? It is a name, or a pattern with `*`. */
export function meansTool(entry: string, name: string): boolean {
  if (!entry.includes("*")) return entry === name;
  const parts = entry.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
