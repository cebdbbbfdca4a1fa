import { describe, expect, test } from 'vitest'
import { forQuotas, MAPS, map, mapsIn, quotasIn } from '../custom-quota/quota-world.ts'
import { operatedServers } from '../operated.ts'
import { condition } from '../pool-objects.ts'

const quota = (name: string, source: object) => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'CustomQuota',
  metadata: { name },
  spec: { limit: '10', sources: [source] },
})
const POD = { apiVersion: 'v1', kind: 'Pod', op: 'add' } as const
const GIZMOS = 'gizmos.unfound.test'

for (const { name: on, available, share } of operatedServers)
  describe.skipIf(!available)(`${on}: a custom quota whose path finds nothing`, () => {
    const suite = forQuotas(share)
    /** The warnings of a dry run. */
    const warnings = async (source: object): Promise<string> => {
      const path = `${quotasIn('default')}?dryRun=All`
      const { status, headers, text } = await suite.server.send('POST', path, quota('unfound', source))
      expect(status, text).toBe(201)
      return [headers['warning'] ?? []].flat().join(' ')
    }

    test('says so while no object has the field, and no longer when one has', async () => {
      const { world } = suite
      await world.namespace('unfound')
      const path = `${quotasIn('unfound')}/q`
      const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
      await world.quota('unfound', 'q', { limit: '10', scopeSelectors, sources: [{ ...MAPS, path: '.data.weight' }] })
      expect(condition(await world.read(path), 'Effective')).toBeUndefined()
      await world.create(mapsIn('unfound'), map('without'))
      const idle = await world.until(path, (one) => condition(one, 'Effective')?.status === 'False')
      expect(condition(idle, 'Effective')).toMatchObject({
        reason: 'PathFindsNothing',
        message:
          '.data.weight finds nothing in any object of /v1, Kind=ConfigMap that the quota counts, so that none of them is limited',
      })
      expect(condition(idle, 'Ready')?.status).toBe('True')
      await world.patch(`${mapsIn('unfound')}/without`, { data: { weight: '0' } })
      await world.until(path, (one) => condition(one, 'Effective') === undefined)
    })

    test('is accepted with a warning where the schema of the kind lacks the field, if the API server has one', async () => {
      const { status } = await suite.server.send('GET', '/openapi/v3/api/v1')
      const expected = (text: string) => (status === 200 ? expect.stringContaining(text) : '')
      expect(await warnings({ ...POD, path: '.spec.contaners[*].resources.requests.cpu' })).toEqual(
        expected(
          'spec.sources[0].path: finds nothing: spec of a Pod has no field \\"contaners\\"; containers was probably meant',
        ),
      )
      expect(await warnings({ ...POD, path: '.spec.containers.ports' })).toEqual(
        expected('spec.containers of a Pod is a list, of which spec.containers[*] reads the items'),
      )
      const selectors = (selector: string) => ({ ...POD, op: 'count', selectors: [{ fieldSelectors: [selector] }] })
      expect(await warnings(selectors('.spec.nodename==a'))).toEqual(
        expected('fieldSelectors[0]: selects nothing: spec of a Pod has no field'),
      )
      expect(await warnings(selectors('.spec.nodename!=a'))).toBe('')
      const never = {
        matchLabels: { tier: 'gold' },
        matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }],
      }
      expect(await warnings({ ...POD, op: 'count', selectors: [never] })).toContain(
        'spec.sources[0].selectors[0]: selects nothing, because no labels match all of it',
      )
      expect(await warnings({ ...POD, path: '.metadata.annotations.example\\.com/size' })).toBe('')
      expect(await warnings({ ...POD, path: '.spec.containers[*].resources.requests.cpu' })).toBe('')
    })

    test('gets the warning also for a custom resource, unless its schema leaves fields open', async () => {
      const { world, server } = suite
      const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
      const properties = {
        size: { type: 'string' },
        open,
        map: { type: 'object', additionalProperties: { type: 'string' } },
      }
      await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: GIZMOS },
        spec: {
          group: 'unfound.test',
          scope: 'Namespaced',
          names: { plural: 'gizmos', kind: 'Gizmo' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
            },
          ],
        },
      })
      await server.until('/apis/unfound.test/v1/gizmos', ({ status }) => status === 200)
      const found = await server.send('GET', '/openapi/v3/apis/unfound.test/v1')
      const source = { apiVersion: 'unfound.test/v1', kind: 'Gizmo', op: 'add' }
      expect(await warnings({ ...source, path: '.spec.sizes' })).toEqual(
        found.status === 200
          ? expect.stringContaining('spec of a Gizmo has no field \\"sizes\\"; size was probably meant')
          : '',
      )
      for (const path of ['.spec.size', '.spec.open.any', '.spec.map.any', '.metadata.generation'])
        expect(await warnings({ ...source, path })).toBe('')
    })
  })
