import { randomBytes } from 'node:crypto'
import { describe, test } from 'vitest'
import { quantityLedger } from '../../src/systems/counted/api/quantity-ledger.ts'
import { CERTIFICATE_SECRET, LEDGER_KEY_SECRET, WEBHOOK_KEY_SECRET } from '../../src/install/installed-names.ts'
import { formatMark } from '../../src/api/kept-format.ts'
import { quotaKey } from '../../src/systems/counted/replica/ledger-name.ts'
import { COUNTED_MAPS, ledgersIn, map, mapsIn, quotasIn, QuotaWorld } from '../operator/custom-quota/quota-world.ts'
import { sealBy } from '../operator/ledger-seals.ts'
import { bareServers, startOperator, representative } from '../operator/operated.ts'
import { POOLS } from '../operator/pool-objects.ts'
import { runAllot } from '../start-allot.ts'

const SECRETS = '/api/v1/namespaces/allot-system/secrets'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const LATER = { metadata: { annotations: formatMark(2) } }
/** Its CRD may still come. */
const IDLE = 'count/widgets.later.example.org'
const isIdle = ({ type }: { readonly type: string }): boolean => type === 'Effective'
const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]

/** Replaces the text of a ledger by one of a later form, as a later version with the same key writes it; gives that text. */
async function writeLater(world: QuotaWorld, path: string): Promise<string> {
  const ledger = quantityLedger.read(await world.read(path))
  const { kind, namespace = '', name, uid = '' } = ledger.spec.targetRef
  const quota = { kind, metadata: { namespace, name, uid } }
  const { data } = await world.read(`${SECRETS}/${LEDGER_KEY_SECRET}`)
  const { uid: own, resourceVersion = '' } = ledger.metadata
  const sealed = sealBy(Buffer.from(data.key, 'base64')).seal(`${own}/${quotaKey(quota)}/${uid}`, {
    text: '2%later',
    base: resourceVersion,
  })
  await world.patch(`${path}/status`, { status: { outstanding: sealed } })
  return sealed
}

for (const { name, start } of representative(bareServers))
  describe(`${name}: what a later version of allot keeps`, { concurrent: true }, () => {
    test('is neither decided on nor changed by an operator that does not know its format, which says so', async ({
      expect,
    }) => {
      await using server = await start({ isBare: true })
      const world = new QuotaWorld(server)
      {
        await using operator = await startOperator(server.kubeconfig, ['--apiserver-request-timeout=1s'])
        await world.namespace('later')
        await world.quota('later', 'all', { limit: '5', sources: [COUNTED_MAPS], scopeSelectors })
        await world.create(mapsIn('later'), map('before'))
        const ledger = `${ledgersIn('later')}/all`
        await world.until(ledger, ({ status }) => status.reserved === '0')
        const sealed = await writeLater(world, ledger)
        const sentence =
          'has the form "2", and this version of allot reads 1: run the version that wrote it, or a later one'
        await world.notReady(`${quotasIn('later')}/all`, sentence)
        const { status, text } = await world.send('POST', mapsIn('later'), map('after'))
        expect([status, text]).toEqual([429, expect.stringContaining('CustomQuota later/all is not ready')])
        expect((await world.send('DELETE', `${mapsIn('later')}/before`)).status).toBe(200)

        // The keys that are known stay in use.
        const keys = await world.patch(`${SECRETS}/${WEBHOOK_KEY_SECRET}`, LATER)
        await expect.poll(operator.logs).toContain('the keys of the webhooks could not be read or changed')
        expect(operator.logs()).toContain(`the Secret allot-system/${WEBHOOK_KEY_SECRET} has the format`)
        expect((await world.send('POST', mapsIn('later'), map('after'))).status).toBe(429)
        expect((await world.read(`${SECRETS}/${WEBHOOK_KEY_SECRET}`)).data).toEqual(keys.data)
        expect((await world.read(ledger)).status.outstanding).toBe(sealed)
      }

      for (const secret of [LEDGER_KEY_SECRET, WEBHOOK_KEY_SECRET, CERTIFICATE_SECRET]) {
        const path = `${SECRETS}/${secret}`
        // Nothing that this version could read.
        const later = await world.patch(path, { ...LATER, data: { next: randomBytes(8).toString('base64') } })
        const { code, stderr } = await runAllot('run', '--kubeconfig', server.kubeconfig, '--host', '127.0.0.1')
        expect([code, stderr.trim()]).toEqual([
          1,
          `the Secret allot-system/${secret} has the format "2", and this version of allot reads 1; run the version that wrote it, or a later one; nothing was changed`,
        ])
        expect(await world.read(path)).toEqual(later)
        const removed = { metadata: { annotations: { 'allot.dev/format': null } }, data: { next: null } }
        await world.patch(path, removed)
      }

      const crd = `${CRDS}/resourcepools.capsule.clastix.io`
      const { spec } = await world.read(crd)
      const [version] = spec.versions
      const column = { name: 'Later', type: 'string', jsonPath: '.spec.later' }
      const versions = [{ ...version, additionalPrinterColumns: [...version.additionalPrinterColumns, column] }]
      const later = await world.patch(crd, { ...LATER, spec: { versions } })
      await using operator = await startOperator(server.kubeconfig)
      expect(operator.logs()).toContain('it stays as a later version installed it')
      await world.namespace('pooled')
      await world.pool('pooled', { pods: '3', [IDLE]: '1' })
      const { status: _, ...kept } = await world.read(crd)
      expect([kept['spec'], kept.metadata.annotations]).toEqual([later.spec, later.metadata.annotations])

      const pool = `${POOLS}/pooled`
      await world.until(pool, ({ status: { conditions } }) => conditions.some(isIdle))
      // Its limits are other ones now, and its conditions stay.
      const { status: ledger } = await world.patch(pool, { ...LATER, spec: { quota: { hard: { [IDLE]: null } } } })
      await world.claim('pooled', 'one', { pods: '2' })
      await world.until('/apis/events.k8s.io/v1/events', ({ items }) =>
        items.some(
          ({ reason, note, regarding }: Readonly<Record<string, string>> & { regarding: { name: string } }) =>
            reason === 'LaterFormat' && regarding.name === 'pooled' && note?.includes('has the format "2"') === true,
        ),
      )
      expect((await world.read(pool)).status).toEqual(ledger)
      await world.patch(pool, { metadata: { annotations: { 'allot.dev/format': null } } })
      await world.allocated('pooled', 'one')
      await world.until(pool, ({ status: { conditions } }) => !conditions.some(isIdle))
    })
  })
