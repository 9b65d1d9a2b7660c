// share.ts : les mots de ce qui quitte la page : images, films, liens et cadres.
import type { share as english } from "../share";
import type { Translation } from "../translation";

export const share: Translation<typeof english> = {
  title: "Images et films",
  format: "Format",
  formats: { page: "Comme affiché", wide: "1080p, 16:9", square: "Carré", portrait: "Portrait" },
  gif: "Faire un GIF",
  filming: (done, all) => `Film à ${Math.floor((100 * done) / all)} %`,
  filmed: (name, frames, seconds, plays) => `Enregistré sous ${name} : ${frames} images en ${seconds} s ; le film dure ${plays} s`,
  embed: "Copier un cadre pour une page",
  embedded: "Le HTML du cadre est copié",
  embedFailed: "Le navigateur ne donne pas de presse-papiers : ajoutez &embed=1 à l’adresse dans la barre d’adresse",
  embedTitle: (view) => `Murmuration : ${view}`,
  openWhole: "Ouvrir dans Murmuration",
  openWholeHint: "ouvre la page entière dans un nouvel onglet",
  flat: "Dessiné à plat : ce navigateur n’a pas WebGL",
  pageTitle: (view, page) => `${view} · ${page}`,
};
