// theme.test.ts: colours can be chosen where the browser keeps nothing.
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

describe("the colours", () => {
  it("are chosen though storage is blocked", async () => {
    const blocked = () => {
      throw new Error("SecurityError");
    };
    vi.stubGlobal("localStorage", { getItem: blocked, setItem: blocked, removeItem: blocked });
    const { isDark, setTheme, theme } = await import("../src/state/theme");
    expect(theme.value).toBe("auto");
    setTheme("dark");
    expect(isDark.value).toBe(true);
    setTheme("auto");
    expect(theme.value).toBe("auto");
  });
});
