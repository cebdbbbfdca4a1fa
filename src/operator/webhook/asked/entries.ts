import {
  allLabels,
  disjointRegions,
  labelledWith,
  type LabelRegion,
  labelRegion,
  selectorOfRegion,
  withoutValues,
} from '../../../machinery/selector/label-region.ts'
import type { LabelSelector } from '../../../machinery/selector/label.ts'
import type { ExemptLabel } from '../server-features-list.ts'
import { type AskedResource, EVERYWHERE, type OperatorHookRule } from '../configuration.ts'

/** Rules with the namespaces that they are for: a selector of a webhook holds for all of its rules. */
export interface WebhookEntry {
  readonly rules: readonly OperatorHookRule[]
  /** Undefined: all namespaces. */
  readonly namespaceSelector: LabelSelector | undefined
}

/** How namespaces can be distinguished by their labels. */
export interface EntryOptions {
  /** Never asked about unless a resource names them. */
  readonly exempt: ReadonlySet<string>
  /** On a server that does not label namespaces with their names. */
  readonly exemptLabel?: ExemptLabel | undefined
  /** Whether the server labels namespaces with their names. */
  readonly labelsNamespaces: boolean
}

/** The label that API servers give every namespace, and that nobody can take away there. */
const NAME_LABEL = 'kubernetes.io/metadata.name'
/** An API server stores 1.5 MiB, and each webhook repeats the trusted authorities: they may be 8 kB (decision 018). */
const MOST_ENTRIES = 100
const MOST_BYTES = 384 * 1024

/** A resource whose names of namespaces stand apart from its other namespaces. */
interface Placed {
  readonly resource: AskedResource
  readonly names: ReadonlySet<string>
  readonly selectors: readonly string[]
  readonly isEverywhere: boolean
}

/**
 * Returns webhooks that ask only about these resources in their namespaces. A request in one version matches at most
 * one of them. Some ask about more if the webhooks would otherwise be too many or too large for an API server.
 */
export function webhookEntries(asked: readonly AskedResource[], options: EntryOptions): readonly WebhookEntry[] {
  const placed = asked.filter(({ namespaces }) => namespaces.size > 0).map((resource) => placedOf(resource, options))
  let names: readonly ReadonlySet<string>[] = placed.map((one) => one.names)
  let entries = entriesOf(placed, options)
  // Each time a quarter of the lists of names is merged with others, the shortest first.
  for (let lists = distinct(names) - 1; lists > 0 && !isBearable(entries); lists = Math.floor((lists * 3) / 4)) {
    names = mergedNames(names, lists)
    entries = entriesOf(
      placed.map((one, index) => ({ ...one, names: names[index] ?? one.names })),
      options,
    )
  }
  if (isBearable(entries)) return entries
  return entriesOf(
    placed.map((one) => ({ ...one, isEverywhere: true })),
    options,
  )
}

function placedOf(resource: AskedResource, { labelsNamespaces, exempt }: EntryOptions): Placed {
  const areas = [...resource.namespaces].filter((one) => one !== EVERYWHERE)
  const named = new Set(areas.filter((one) => !isSelector(one)))
  const isEverywhere = resource.namespaces.has(EVERYWHERE) || (!labelsNamespaces && named.size > 0)
  const names = isEverywhere ? named.intersection(exempt) : named
  return { resource, names, selectors: areas.filter(isSelector).toSorted(), isEverywhere }
}

/** No name of a namespace begins so. */
const isSelector = (area: string): boolean => area.startsWith('{')

function entriesOf(placed: readonly Placed[], options: EntryOptions): readonly WebhookEntry[] {
  const groups = new Map<
    string,
    { readonly selector: LabelSelector | undefined; readonly resources: AskedResource[] }
  >()
  for (const one of placed)
    for (const region of regionsOf(one, options)) {
      const selector = selectorOfRegion(region)
      const key = JSON.stringify(selector ?? {})
      const group = groups.get(key) ?? { selector, resources: [] }
      group.resources.push(one.resource)
      groups.set(key, group)
    }
  return [...groups.values()].flatMap(({ selector, resources }) =>
    layersOf(resources).map((layer) => ({ rules: layer.flatMap(({ rules }) => rules), namespaceSelector: selector })),
  )
}

function regionsOf(one: Placed, options: EntryOptions): readonly LabelRegion[] {
  const { exempt, exemptLabel, labelsNamespaces } = options
  const { names, selectors, isEverywhere } = one
  const label = labelsNamespaces ? NAME_LABEL : exemptLabel?.key
  const unnamed = [...exempt.difference(names)].flatMap((name) =>
    labelsNamespaces ? [name] : (exemptLabel?.values.get(name) ?? []),
  )
  const named = names.size === 0 ? [] : [labelledWith(NAME_LABEL, names)]
  const selected = selectors.flatMap((selector) => labelRegion(JSON.parse(selector) as LabelSelector) ?? [])
  const regions = isEverywhere ? undefined : disjointRegions([...named, ...selected], MOST_ENTRIES)
  return (regions ?? [allLabels()]).flatMap((region) =>
    label === undefined ? [region] : (withoutValues(region, label, new Set(unnamed)) ?? []),
  )
}

/**
 * An API server asks a webhook once about a request, in one version. A resource that is counted in several versions or
 * groups has a webhook for each. So each quota gets the version that its source names.
 */
function layersOf(resources: readonly AskedResource[]): readonly (readonly AskedResource[])[] {
  const layers: { readonly names: Set<string>; readonly resources: AskedResource[] }[] = []
  for (const one of resources) {
    const names = new Set(one.rules.flatMap(({ resources: of }) => of.map((name) => name.split('/')[0] ?? name)))
    const free = layers.find((layer) => layer.names.isDisjointFrom(names))
    if (free === undefined) layers.push({ names, resources: [one] })
    else {
      free.resources.push(one)
      for (const name of names) free.names.add(name)
    }
  }
  return layers.map((layer) => layer.resources)
}

function isBearable(entries: readonly WebhookEntry[]): boolean {
  return entries.length <= MOST_ENTRIES && JSON.stringify(entries).length <= MOST_BYTES
}

const distinct = (names: readonly ReadonlySet<string>[]): number =>
  new Set(names.map((one) => JSON.stringify([...one].toSorted()))).size

/** Merges sets until at most `most` different ones are left. The smallest are merged first, because this adds least. */
function mergedNames(sets: readonly ReadonlySet<string>[], most: number): readonly ReadonlySet<string>[] {
  const texts = sets.map(textOf)
  const groups = [...Map.groupBy(sets.keys(), (index) => texts[index] ?? '').values()]
    .map((members) => ({ members, names: sets[members[0] ?? 0] ?? new Set<string>() }))
    .toSorted((a, b) => a.names.size - b.names.size || (textOf(a.names) < textOf(b.names) ? -1 : 1))
  const empty = groups.filter(({ names }) => names.size === 0)
  const filled = groups.slice(empty.length)
  const tooMany = Math.max(0, filled.length - most)
  const [small, large] = [filled.slice(0, tooMany + 1), filled.slice(tooMany + 1)]
  const together = { members: small.flatMap(({ members }) => members), names: unionOf(small.map(({ names }) => names)) }
  const merged = sets.map((set) => set)
  for (const { members, names } of [together, ...large, ...empty]) for (const index of members) merged[index] = names
  return merged
}

const textOf = (names: ReadonlySet<string>): string => JSON.stringify([...names].toSorted())

const unionOf = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => new Set(sets.flatMap((set) => [...set]))
