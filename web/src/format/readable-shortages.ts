import { toldApart } from './readable-amount.ts'

/** A part of the status of a claim, such as `requests.cpu: 3500m of 3 free`. */
const SHORTAGE = /([\w./-]+): (\S+) of (\S+)(?= free| in the pool)/g

/** The status of a claim that waits, with its amounts as people read them. What is not written like that stays as it is. */
export const readableShortages = (text: string): string =>
  text.replaceAll(SHORTAGE, (_, resource: string, wanted: string, available: string) => {
    const [first, second] = toldApart(wanted, available, resource)
    return `${resource}: ${first} of ${second}`
  })
