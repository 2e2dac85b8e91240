import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/build-dist.ts",
    pool: "forks",
    maxWorkers: 2,
    globals: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
