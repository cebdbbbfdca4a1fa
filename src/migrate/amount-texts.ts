import type { JsonObject } from '../machinery/object.ts'

/** Amounts by name as texts. Manifests have them as numbers, too. */
export const amountTexts = (amounts: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [
      name,
      typeof amount === 'string' ? amount : JSON.stringify(amount),
    ]),
  )
