import { expect, test } from 'vitest'
import { customResources } from '../../src/systems/custom-resources.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { bareServers, startOperator } from '../operator/operated.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

const definitions = customResources.map(({ crd }) => crd as unknown as KubeObject)
// Borrowed servers have CRDs of earlier operators, which own them.
const embedded = bareServers.filter(({ name }) => name.startsWith('allot up'))

test.each(embedded)(
  '$name: the manifests of an installation can be applied again after the operator has run',
  async ({ start }) => {
    await using server = await start()
    const applied = async (): Promise<readonly (readonly [string, number, string])[]> =>
      await Promise.all(
        definitions.map(async (crd) => {
          const name = crd.metadata.name ?? ''
          const path = `${CRDS}/${name}?fieldManager=kubectl`
          const { status, text } = await server.send('PATCH', path, crd, APPLY)
          return [name, status, status < 300 ? '' : text] as const
        }),
      )
    for (const [name, status, text] of await applied()) expect([name, status, text]).toEqual([name, 201, ''])
    await using _operator = await startOperator(server.kubeconfig)
    for (const [name, status, text] of await applied()) expect([name, status, text]).toEqual([name, 200, ''])
    for (const crd of definitions) {
      const { json } = await server.send('GET', `${CRDS}/${crd.metadata.name ?? ''}`)
      const owners = json.metadata.managedFields.filter(({ fieldsV1 }: { fieldsV1: object }) => 'f:spec' in fieldsV1)
      expect([crd.metadata.name, owners.map(({ manager }: { manager: string }) => manager)]).toEqual([
        crd.metadata.name,
        ['kubectl'],
      ])
    }
  },
)
