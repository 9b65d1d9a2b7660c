// core.ts : ce qui est dit d’un moteur de calcul qui s’arrête avant de pouvoir le dire lui-même.
import type { core as english } from "../core";
import type { Translation } from "../translation";

export const core: Translation<typeof english> = {
  stopped: { what: "le moteur de calcul s’est arrêté", remedy: "rechargez la page" },
  crashed: { what: "le moteur de calcul s’est arrêté", remedy: "rechargez la page et essayez d’autres réglages" },
  noMemory: { what: "la mémoire ne suffit pas", remedy: "diminuez n, d ou le nombre d’images, ou rechargez la page" },
  missingArray: (index) => `le tableau ${index} manque`,
  cannotStart: {
    what: "le moteur de calcul ne peut pas démarrer",
    remedy: "prenez un navigateur qui connaît SIMD et les exceptions de WebAssembly",
  },
};
