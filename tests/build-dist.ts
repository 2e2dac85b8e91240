import { build } from "../scripts/build.ts";

/** A QuickJS VM is given a built script, and a real pi loads built files, also where tests run the sources. */
export default async function setup(): Promise<void> {
  await build();
}
