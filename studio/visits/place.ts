// place.ts: where the visits find page, program and browser; the environment may say otherwise.
export const kPort = Number(process.env.STUDIO_PORT ?? 8327);
export const kPage = process.env.STUDIO_PAGE ?? "dist";
export const kMurmur = process.env.MURMUR ?? "../build/release/murmur";
export const kChromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const kArguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
