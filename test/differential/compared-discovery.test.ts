import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Pair } from './pair.ts'
import { assets } from './real-server.ts'

interface Listed {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly group?: string
  readonly version?: string
}

/** The discovery of a resource where a newer server differs, by path and name, with the version since which it does. */
const CHANGED: ReadonlyMap<string, string> = new Map([
  ['/api/v1 pods/eviction', '1.22'],
  ['/api/v1 services', '1.23'],
])

describe.skipIf(assets === undefined)('a real API server and allot serve the same resources', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await Pair.start()
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  const both = async (path: string): Promise<readonly [unknown, unknown]> => {
    const [real, allot] = await pair.both({ method: 'GET', path }, '', [{}, {}])
    return [real.body, allot.body]
  }

  test('in every version that both have', async () => {
    const [real, allot] = (await both('/apis')) as [Groups, Groups]
    const served = new Set(versions(allot))
    const common = ['/api/v1', ...versions(real).filter((path) => served.has(path))]
    expect(common.length).toBeGreaterThan(15)
    const found: string[] = []
    for (const path of common) {
      const [theirs, ours] = (await both(path)) as [{ resources: Listed[] }, { resources: Listed[] }]
      const names = new Map(ours.resources.map((one) => [one.name, one]))
      for (const resource of theirs.resources) {
        const mine = names.get(resource.name)
        const place = `${path} ${resource.name}`
        if (mine !== undefined && shown(mine) !== shown(resource) && !CHANGED.has(place))
          found.push(`${place}: real ${shown(resource)}, allot ${shown(mine)}`)
      }
    }
    expect(found).toEqual([])
  })
})

interface Groups {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
}

const versions = ({ groups }: Groups): readonly string[] =>
  groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`))

const shown = ({ kind, namespaced, verbs, shortNames, categories, group, version }: Listed): string =>
  JSON.stringify({ kind, namespaced, verbs: verbs.toSorted(), shortNames, categories, group, version })
