/** US dollars that the children of one program cost, by the newest number of each. */
export class ChildCosts {
  readonly #costs: number[] = [];

  /** Opens the place of one child; what it returns takes `details` of `ptc_subagent`. */
  open(): (details: unknown) => void {
    const place = this.#costs.push(0) - 1;
    return (details) => {
      const { progress, result } = (details ?? {}) as Record<
        string,
        { usage?: { cost?: unknown } } | undefined
      >;
      const cost = (result ?? progress)?.usage?.cost;
      if (typeof cost === "number" && cost > 0 && Number.isFinite(cost)) this.#costs[place] = cost;
    };
  }

  total(): number {
    return this.#costs.reduce((sum, cost) => sum + cost, 0);
  }
}
