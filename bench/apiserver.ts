// Pods created per second on `allot up` with durable storage and on a real control plane (etcd, kube-apiserver,
// kube-controller-manager); `pod-creation.ts` says how. Each figure is the median of its turns, and each comparison that of the
// quotients within one turn. One JSON line per figure.
//
//   KUBEBUILDER_ASSETS=... BENCH_SECONDS=12 node bench/apiserver.ts
import { assets, startRealServer } from '../test/differential/real-server.ts'
import { startAllot } from '../test/start-allot.ts'
import { FIGURES, measurePodCreation, quotient, round, type Server, summary } from './pod-creation.ts'

/** How long each figure of each server is measured, in all turns together. */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '15')

const print = (line: object): void => console.log(JSON.stringify({ bench: 'apiserver', ...line }))

await using allot = await startAllot()
await using real = assets === undefined ? undefined : await startRealServer()
if (real === undefined)
  console.error('KUBEBUILDER_ASSETS is not set (see scripts/real-apiserver): allot is measured alone')
const servers: readonly Server[] = [
  { name: 'allot', url: allot.url, token: allot.token },
  ...(real === undefined ? [] : [{ name: 'real', url: real.url, token: real.token }]),
]
const turns = await measurePodCreation(servers, SECONDS)

for (const { name } of servers)
  for (const figure of FIGURES)
    print({ server: name, figure: 'pods created per second', ...figure, ...summary(turns(name, figure)) })
for (const figure of real === undefined ? [] : FIGURES)
  print({ figure: 'allot / real', ...figure, ratio: quotient(turns('allot', figure), turns('real', figure)) })
for (const { name } of servers)
  for (const figure of FIGURES.filter(({ quotas }) => quotas > 0))
    print({
      server: name,
      figure: 'part of the speed that quotas cost',
      ...figure,
      quotaCost: round(1 - quotient(turns(name, figure), turns(name, { ...figure, quotas: 0 }))),
    })
