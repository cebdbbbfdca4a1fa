import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from '../kubectl/kubectl.ts'
import type { Simulation } from '../../src/insight/simulate/simulation.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { isDefinition, manifests } from './documents.ts'

interface Listed {
  readonly items: readonly { readonly kind: string; readonly metadata: Readonly<Record<string, string>> }[]
}

describe.skipIf(!hasKubectl)('kubectl applies the manifests', () => {
  const { allot, inNamespace, file } = session()

  test('on its own side, and nothing is written when it does so again, as allot simulate predicts', async () => {
    const { ok, get } = inNamespace('wild')
    const list = (items: readonly object[]): object => ({ apiVersion: 'v1', kind: 'List', items })
    const definitions = manifests.map(({ document }) => document).filter(isDefinition)
    await ok('apply', '-f', file('definitions.json', list(definitions)))
    await ok('wait', '--for=condition=Established', ...definitions.map(({ metadata }) => `crd/${metadata.name}`))
    // No kubectl can work out how the raw data of a revision change.
    const items = manifests.map(({ document }) => document).filter(({ kind }) => kind !== 'ControllerRevision')
    const all = file('manifests.json', list(items))
    const versions = async (): Promise<readonly string[]> =>
      ((await get('-f', all)) as Listed).items.map(
        ({ kind, metadata }) => `${kind} ${metadata['name']} ${metadata['resourceVersion']}`,
      )
    await ok('apply', '-f', all, '--validate=strict')
    const before = await versions()
    expect(before).toHaveLength(items.length)
    const predicted = await runInProcess(allot().kubeconfig, 'simulate', '-n', 'wild', '-f', all, '-o', 'json')
    if (predicted.stdout === '') throw new Error(predicted.stderr)
    const { changes } = JSON.parse(predicted.stdout) as Simulation
    expect(changes.filter(({ result }) => result !== 'unchanged')).toEqual([])
    expect(changes).toHaveLength(items.length)
    await ok('apply', '-f', all)
    expect(await versions()).toEqual(before)
  })
})
