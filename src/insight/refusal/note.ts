import type { Excess } from '../../charges/refusal.ts'
import { flatText } from '../../machinery/flat-text.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { exceededText } from '../explain/causes.ts'

/** What a refusal says, in the words of `allot explain`. It holds no part of the message in memory. */
export interface RefusalNote {
  /** Equal for refusals of the same amounts by the same budgets, however much of these is used. */
  readonly cause: string
  readonly note: string
}

/** Kubernetes' controllers cut theirs at 1,024 bytes. A longer message is somebody else's. */
const LONGEST_MESSAGE = 4096
const LONGEST_NOTE = 1024

// Tenants write messages, too. So each pattern begins at one place, and its groups have bounds and closed sets of letters.
const AMOUNT = '[-+.0-9A-Za-z]{1,64}'
const RESOURCE = '[-./_0-9A-Za-z]{1,317}'
/** A ResourceQuota goes by its name, any other budget by its kind and namespace, too. */
const BUDGET = '(?<name>(?:[A-Za-z]{1,63} )?(?:[-0-9a-z]{1,63}/)?[-.0-9a-z]{1,253})'
/** What API servers and webhooks write before the sentences of quotas. */
const BEGINNING =
  / (?:is forbidden|denied the request): (?=(?:exceeded|failed) quota: |(?:creating|updating) resource exceeds limit for )/
const AGAIN = 'also refused by '
/** As API servers word it, and allot for ResourceQuotas and KarmadaQuotas. */
const EXCEEDED = new RegExp(
  `^exceeded quota: ${BUDGET}, requested: (?<requested>\\S+), used: (?<used>\\S+), limited: (?<hard>\\S+)`,
)
const FAILED = new RegExp(`^failed quota: ${BUDGET}: must specify (?<demand>.+)$`)
const DEMAND = new RegExp(`^(?<resources>${RESOURCE}(?:,${RESOURCE})*)(?: for: (?<containers>[-,0-9a-z]+))?$`)
/** As Capsule words it, and allot for custom quotas. */
const OF_CUSTOM = new RegExp(
  `^(?:(?:creating|updating) resource exceeds limit for )?(?<kind>(?:Global)?CustomQuota) "(?<name>[-.0-9a-z]{1,253})" ` +
    `\\(requested=(?<requested>${AMOUNT}), currentUsed=(?<used>${AMOUNT}), available=${AMOUNT}, limit=(?<hard>${AMOUNT}),`,
)
const ONE_RESOURCE = new RegExp(`^${RESOURCE}$`)
const ONE_AMOUNT = new RegExp(`^${AMOUNT}$`)

/** The note on a message of a controller that could not make an object; undefined where no quota is the reason. */
export function refusalNote(message: string): RefusalNote | undefined {
  if (message.length > LONGEST_MESSAGE) return undefined
  const beginning = BEGINNING.exec(message)
  if (beginning === null) return undefined
  const found: RefusalNote[] = []
  let demanding: { readonly name: string; readonly demands: string[] } | undefined
  const endDemands = (): void => {
    if (demanding !== undefined && demanding.demands.length > 0) found.push(demandedNote(demanding))
    demanding = undefined
  }
  for (const part of message.slice(beginning.index + beginning[0].length).split('; ')) {
    const sentence = part.startsWith(AGAIN) ? part.slice(AGAIN.length) : part
    const failed = FAILED.exec(sentence)?.groups
    const demand = demandOf(failed === undefined ? sentence : (failed['demand'] ?? ''))
    if (failed !== undefined) {
      endDemands()
      demanding = { name: failed['name'] ?? '', demands: demand === undefined ? [] : [demand] }
    } else if (demanding !== undefined && demand !== undefined) demanding.demands.push(demand)
    else {
      endDemands()
      const one = exceededNote(sentence) ?? customNote(sentence)
      if (one !== undefined) found.push(one)
    }
  }
  endDemands()
  if (found.length === 0) return undefined
  return { cause: joined(found.map(({ cause }) => cause)), note: joined(found.map(({ note }) => note)) }
}

/** All letters that come so far are of one byte. */
const joined = (sentences: readonly string[]): string => flatText(sentences.join('; ').slice(0, LONGEST_NOTE))

function exceededNote(sentence: string): RefusalNote | undefined {
  const { groups } = EXCEEDED.exec(sentence) ?? {}
  if (groups === undefined) return undefined
  const { name = '' } = groups
  const [requested, used, hard] = [amountsIn(groups['requested']), amountsIn(groups['used']), amountsIn(groups['hard'])]
  const excesses = [...requested].flatMap(([resource, amount]): readonly Excess[] => {
    const [has, most] = [used.get(resource), hard.get(resource)]
    return has === undefined || most === undefined ? [] : [{ resource, requested: amount, used: has, hard: most }]
  })
  if (excesses.length === 0) return undefined
  const amounts = excesses.map(({ resource, requested: amount }) => `${resource}=${amount.toString()}`)
  return { cause: `${name} ${amounts.join(',')}`, note: exceededText(`quota ${name}`, excesses) }
}

function demandedNote({ name, demands }: { readonly name: string; readonly demands: readonly string[] }): RefusalNote {
  const note = `quota ${name}: each container must specify ${demands.join('; ')}`
  return { cause: note, note }
}

function demandOf(text: string): string | undefined {
  const { groups } = DEMAND.exec(text) ?? {}
  if (groups === undefined) return undefined
  const { resources = '', containers } = groups
  return containers === undefined ? resources : `${resources} (missing in ${containers.split(',').join(', ')})`
}

function customNote(sentence: string): RefusalNote | undefined {
  const { groups } = OF_CUSTOM.exec(sentence) ?? {}
  if (groups === undefined) return undefined
  const { kind = '', name = '', requested = '', used = '', hard = '' } = groups
  return {
    cause: `${kind} ${name} ${requested}`,
    note: `${kind} ${name}: ${used} of ${hard} used, ${requested} more requested`,
  }
}

/** The amounts of a list as `pods=1,requests.cpu=500m`. */
function amountsIn(list = ''): ReadonlyMap<string, Quantity> {
  return new Map(
    list.split(',').flatMap((text): readonly (readonly [string, Quantity])[] => {
      const at = text.indexOf('=')
      const [resource, amount] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
      if (!ONE_RESOURCE.test(resource) || !ONE_AMOUNT.test(amount)) return []
      try {
        return [[resource, Quantity.parse(amount)]]
      } catch (error) {
        if (!(error instanceof QuantityError)) throw error
        return []
      }
    }),
  )
}
