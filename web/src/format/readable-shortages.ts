import { toldApart } from './readable-amount.ts'

/** A part of the status of a claim, such as `requests.cpu: 3500m of 3 free`. */
const SHORTAGE = /([\w./-]+): (\S+) of (\S+) (free|in the pool)/g

/** The status of a claim that waits, with its amounts as people read them, such as `pods: 2 (1 free)`. What is not written like that stays as it is. */
export const readableShortages = (text: string): string =>
  text.replaceAll(SHORTAGE, (_, resource: string, wanted: string, available: string, where: string) => {
    const [first, second] = toldApart(wanted, available, resource)
    return `${resource}: ${first} (${second} ${where})`
  })
