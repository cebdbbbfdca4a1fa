import type { JsonObject } from '../machinery/object.ts'

/** Amounts by name as texts. Other systems have them as numbers, too. */
export const amountTexts = (amounts: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))
