// How long `allot explain` takes in a full namespace, as a process and without its start: `node bench/explain.ts [PODS] [DEPLOYMENTS] [RUNS]`.
import { runInProcess } from '../test/migrate/run-in-process.ts'
import { runAllot, startAllot } from '../test/start-allot.ts'

const [pods = 3_000, deployments = 30, runs = 5] = process.argv.slice(2).map(Number)
const allot = await startAllot({ inMemory: true })
const made = async (path: string, object: object): Promise<{ readonly uid: string; readonly name: string }> => {
  const { status, text, json } = await allot.call(path, { method: 'POST', body: object })
  if (status !== 201) throw new Error(text)
  return json.metadata
}
const selector = { matchLabels: { app: 'w' } }
const container = { name: 'c', image: 'i', resources: { requests: { cpu: '10m', memory: '16Mi' } } }
const template = { metadata: { labels: { app: 'w' } }, spec: { containers: [container] } }
const owner = (kind: string, { name, uid }: { readonly name: string; readonly uid: string }): object => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid,
  controller: true,
})
await made('/api/v1/namespaces', { metadata: { name: 'full' } })
await made('/api/v1/namespaces/full/resourcequotas', {
  metadata: { name: 'q' },
  spec: { hard: { pods: String(pods), 'requests.cpu': `${pods * 10}m` } },
})
const each = Math.ceil(pods / deployments)
for (let at = 0; at < deployments; at++) {
  const replicas = each + (at === 0 ? 1 : 0)
  const apps = '/apis/apps/v1/namespaces/full'
  const name = `web-${at}`
  const deployment = await made(`${apps}/deployments`, { metadata: { name }, spec: { replicas, selector, template } })
  const metadata = { name, labels: { app: 'w' }, ownerReferences: [owner('Deployment', deployment)] }
  const set = await made(`${apps}/replicasets`, { metadata, spec: { replicas, selector, template } })
  const ownerReferences = [owner('ReplicaSet', set)]
  for (let pod = at * each; pod < Math.min(pods, (at + 1) * each); pod++)
    await made('/api/v1/namespaces/full/pods', {
      metadata: { name: `${name}-${pod}`, labels: { app: 'w' }, ownerReferences },
      spec: template.spec,
    })
}
const question = ['explain', 'deployment', 'web-0', '-n', 'full', '-o', 'json'] as const
const measured = async (run: () => Promise<{ readonly code: number; readonly stderr: string }>): Promise<number> => {
  const times: number[] = []
  for (let count = 0; count < runs; count++) {
    const began = performance.now()
    const { code, stderr } = await run()
    if (code !== 3) throw new Error(`explain ended with ${code}: ${stderr}`)
    times.push(performance.now() - began)
  }
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0)
}
const wholeMilliseconds = await measured(() => runAllot(...question, '--kubeconfig', allot.kubeconfig))
const loadedMilliseconds = await measured(() => runInProcess(allot.kubeconfig, ...question))
console.log(JSON.stringify({ bench: 'explain', pods, deployments, runs, wholeMilliseconds, loadedMilliseconds }))
await allot.stop()
