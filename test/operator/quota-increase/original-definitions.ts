import type { BareServer } from '../operated.ts'
import { IncreaseWorld } from './increase-world.ts'

export const SECRETS = 'count/secrets'
export const CONFIG_MAPS = 'count/configmaps'
export const ACCOUNTS = 'count/serviceaccounts'
export const MODES = ['cumulative', 'maximum', 'singular'] as const

/** The definitions of the quota operator's own tests, for each mode with and without deletion. */
const ofModes = MODES.flatMap((mode) =>
  [false, true].flatMap((deleteIneffectiveQuotas) => {
    const suite = suiteOf(mode, deleteIneffectiveQuotas)
    const definition = (name: string, hard: Record<string, number>, matchExpressions: readonly object[]) => ({
      name: `${suite}-${name}`,
      selector: { matchLabels: { suite }, matchExpressions },
      mode,
      deleteIneffectiveQuotas,
      template: { spec: { hard } },
    })
    const has = (key: string) => ({ key, operator: 'Exists' })
    return [
      definition('project', { [SECRETS]: 3 }, [has('project'), { key: 'workspace', operator: 'DoesNotExist' }]),
      definition('workspace', { [CONFIG_MAPS]: 3 }, [has('project'), has('workspace')]),
      definition('all', { [ACCOUNTS]: 3 }, []),
      definition('all2', { [ACCOUNTS]: 4 }, []),
    ]
  }),
)
const UNITS = {
  name: 'units',
  selector: { matchLabels: { suite: 'units' } },
  mode: 'cumulative',
  template: { spec: { hard: { 'requests.memory': '1Gi', 'requests.cpu': '500m' } } },
}
const SCOPED = {
  name: 'scoped',
  selector: { matchLabels: { suite: 'scoped' } },
  mode: 'cumulative',
  template: { spec: { hard: { pods: '1' }, scopes: ['NotTerminating'] } },
}

export function suiteOf(mode: (typeof MODES)[number], deletes: boolean): string {
  return `${mode}-${deletes ? 'delete' : 'keep'}`
}

/** As the first example of Kubernetes' page on ResourceQuotas: a namespace has one quota. */
const ONE_QUOTA = [10, 20, 30].map((secrets) => ({
  name: `one-quota-${secrets}`,
  selector: { matchLabels: { suite: `one-quota-${secrets}` } },
  mode: 'cumulative',
  template: { spec: { hard: { [SECRETS]: String(secrets), resourcequotas: '1', 'count/resourcequotas': '1' } } },
}))

/** All definitions of the tests, each of which selects a suite. */
export const definitions: readonly object[] = [...ofModes, UNITS, SCOPED, ...ONE_QUOTA]

/** The namespaces of projects. They have an increase without amounts, which only a server without the webhook takes. */
const PROJECTS = [
  ...MODES.map((mode) => `mode-${mode}`),
  'sum',
  'sum-delete',
  'most',
  'most-delete',
  'one',
  'one-delete',
  'one-named',
  'slip',
  'moving',
  'guarded',
  'table',
  'metered',
]

export async function makeProjects(server: BareServer): Promise<void> {
  const world = new IncreaseWorld(server)
  await world.define()
  for (const name of PROJECTS) {
    await world.namespace(name)
    await world.increase(name, 'empty', {})
  }
}
