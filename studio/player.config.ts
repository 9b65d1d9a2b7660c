// player.config.ts: how the player of a single film is built: one script that Python puts into a notebook's page.
import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [preact()],
  publicDir: false,
  build: {
    target: "es2022",
    outDir: "../bindings/python/murmur",
    emptyOutDir: false,
    lib: { entry: "src/player/main.tsx", formats: ["iife"], name: "murmurPlayer", fileName: () => "player.js" },
  },
});
