import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { quotaIncrease } from '../../src/systems/quota-increase/api/quota-increase.ts'
import type { BareServer } from '../bare-server.ts'
import { DEFINITIONS } from '../operator/custom-quota/quota-world.ts'
import { created } from '../operator/operator-account.ts'
import { IncreaseWorld, increasesIn, quotasIn } from '../operator/quota-increase/increase-world.ts'
import { MERGE } from '../operator/pool-objects.ts'
import { TcpBalancer } from '../operator/tcp-balancer.ts'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { ROOT, shell } from '../readme/document-shell.ts'
import { shows, steps } from '../readme/transcript.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { clusters } from './clusters.ts'
import { runInProcess } from './run-in-process.ts'
import { deploy, deploymentPath, StandInNodes } from './stand-in.ts'

/** Two programs start and end, one after the other. */
const PATIENCE_MS = 400_000
const PAGE = 'docs/tasks/move-from-quota-operator.md'
const PEER = { namespace: 'openmcp-system', name: 'quota-operator' }
const QUOTA = `${quotasIn('team')}/project`
const INCREASE = `${increasesIn('team')}/more`
const LABELS = { 'quota.openmcp.cloud/base': 'project', 'quota.openmcp.cloud/mode': 'cumulative' }

/** Makes the objects that the quota operator 0.18 leaves: its configuration, and a namespace with an increase. */
async function makeQuotaOperator(server: BareServer): Promise<void> {
  await created(server, DEFINITIONS, quotaIncrease.crd)
  await server.until('/apis/openmcp.cloud/v1alpha1/quotaincreases', ({ status }) => status === 200)
  await created(server, '/api/v1/namespaces', { metadata: { name: PEER.namespace } })
  const namespace = await created(server, '/api/v1/namespaces', {
    metadata: { name: 'team', labels: { kind: 'project', ...LABELS } },
  })
  const quotas = [
    {
      name: 'project',
      selector: { matchLabels: { kind: 'project' } },
      mode: 'cumulative',
      template: { spec: { hard: { 'count/secrets': '3' } } },
    },
  ]
  await created(server, `/api/v1/namespaces/${PEER.namespace}/configmaps`, {
    metadata: { name: 'quota-operator-config' },
    data: { 'config.yaml': stringify({ quotas }) },
  })
  await created(server, increasesIn('team'), {
    apiVersion: 'openmcp.cloud/v1alpha1',
    kind: 'QuotaIncrease',
    metadata: {
      name: 'more',
      labels: { 'quota.openmcp.cloud/mode': 'cumulative' },
      annotations: { 'quota.openmcp.cloud/effect': 'count/secrets: 2' },
    },
    spec: { hard: { 'count/secrets': '2' } },
  })
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'team', uid: namespace.metadata.uid }
  await created(server, quotasIn('team'), {
    metadata: {
      name: 'project',
      labels: {
        'quota.openmcp.cloud/managed-by': 'quota-controller',
        'quota.openmcp.cloud/quota-definition': 'project',
      },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: { hard: { 'count/secrets': '5' } },
  })
  await deploy(server, {
    ...PEER,
    image: 'ghcr.io/openmcp-project/images/quota-operator:v0.18.0',
    replicas: 1,
    volumes: [{ name: 'config', projected: { sources: [{ configMap: { name: 'quota-operator-config' } }] } }],
  })
}

const volume = (config: string) => ({ name: config, configMap: { name: config } })

/** Nobody can say which of two mounted files the quota operator reads. */
async function refusesSeveralFiles(server: BareServer): Promise<void> {
  const maps = `/api/v1/namespaces/${PEER.namespace}/configmaps`
  await created(server, maps, { metadata: { name: 'more' }, data: { 'config.yaml': 'quotas: []' } })
  const mounts = (...volumes: readonly object[]) =>
    server.send(
      'PATCH',
      deploymentPath(PEER.namespace, PEER.name),
      { spec: { template: { spec: { volumes } } } },
      MERGE,
    )
  expect((await mounts(volume('quota-operator-config'), volume('more'))).status).toBe(200)
  const { code, stderr } = await runInProcess(server.kubeconfig, 'migrate', 'quota-operator', '--dry-run')
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^the quota operator mounts several files config\.yaml: those of the ConfigMap openmcp-system\/quota-operator-config and the ConfigMap openmcp-system\/more; /,
    ),
  ])
  expect((await mounts(volume('quota-operator-config'))).status).toBe(200)
}

for (const { name, start } of clusters)
  describe.skipIf(!hasKubectl)(`${name}: the move from the quota operator`, () => {
    test(
      'keeps increases and quotas, as the page shows it, and goes back as it came',
      { timeout: PATIENCE_MS },
      async () => {
        await using server = await start()
        await using balancer = await TcpBalancer.start()
        await makeQuotaOperator(server)
        await using nodes = new StandInNodes(server, PEER, balancer)
        const world = new IncreaseWorld(server)
        const home = temporaryDirectory()
        const values = join(home, 'values.yaml')
        writeFileSync(values, `webhooks: {service: {port: ${balancer.port}}}\nquotaServiceConfig: quota-operator\n`)
        const kept = async () => {
          const [increase, quota, namespace] = await Promise.all(
            [INCREASE, QUOTA, '/api/v1/namespaces/team'].map((path) => world.read(path)),
          )
          return [
            increase?.metadata.uid,
            increase?.metadata.annotations,
            increase?.spec,
            quota?.metadata.uid,
            quota?.spec,
            namespace?.metadata.labels,
          ]
        }
        await refusesSeveralFiles(server)
        const before = await kept()
        for (const { command, output, line } of steps(readFileSync(join(ROOT, PAGE), 'utf8'))) {
          if (command.endsWith('--back')) {
            // allot follows the definitions now, and the quota was never another object.
            await world.increase('team', 'again', { 'count/secrets': 4 })
            await world.quota('team', 'project', { 'count/secrets': '9' })
            await world.delete(`${increasesIn('team')}/again`)
            await world.quota('team', 'project', { 'count/secrets': '5' })
          }
          const { text } = await shell(command.replace('--values values.yaml', `--values ${values}`), {
            kubeconfig: server.kubeconfig,
            home,
          })
          expect(shows(output, text), `${PAGE}:${line}: ${command}\n${text}`).toBe(true)
        }
        expect(await kept()).toEqual(before)
        await expect
          .poll(() => nodes.events)
          .toEqual(['the peer ends', 'allot begins', 'allot ends', 'the peer begins'])
        expect((await server.send('GET', '/apis/openmcp.cloud/v1alpha1/quotaserviceconfigs')).json.items).toEqual([])
        const { spec, status } = (await server.send('GET', deploymentPath(PEER.namespace, PEER.name))).json
        expect([spec.replicas, status.availableReplicas]).toEqual([1, 1])
      },
    )
  })
