// playwright.config.ts: visits to the built page, served by murmur itself, in Debian's chromium.
import { defineConfig } from "@playwright/test";
import { kArguments, kChromium, kMurmur, kPage, kPort } from "./visits/place";

export default defineConfig({
  testDir: "visits",
  timeout: 600_000, // these end a visit that hangs; none measures
  expect: { timeout: 120_000 },
  workers: 1,
  retries: 1, // a machine may be busy; a visit that needed its second chance is listed as flaky
  reporter: [["list"]],
  outputDir: "../build/visits",
  use: {
    baseURL: `http://127.0.0.1:${kPort}/`,
    viewport: { width: 1280, height: 800 },
    actionTimeout: 120_000,
    serviceWorkers: "block", // each visit comes to what the server gives; offline.spec.ts lets them in
    launchOptions: { executablePath: kChromium, args: kArguments },
  },
  webServer: {
    command: `${kMurmur} studio --page ${kPage} --port ${kPort}`,
    url: `http://127.0.0.1:${kPort}/`,
    reuseExistingServer: false,
    timeout: 120_000,
  },
});
