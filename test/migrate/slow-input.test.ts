import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { PROGRAM } from '../start-allot.ts'

const QUOTA = {
  apiVersion: 'quota.openshift.io/v1',
  kind: 'ClusterResourceQuota',
  metadata: { name: 'slow' },
  spec: { selector: { labels: { matchLabels: { team: 'a' } } }, quota: { hard: { configmaps: '3' } } },
}

test('manifests on standard input are read to their end, however slow their writer is', async () => {
  const child = spawn(
    'sh',
    [
      '-c',
      `{ read -r line; printf '%s' "$line"; read -r line; printf '%s' "$line"; } | ${process.execPath} ${PROGRAM} migrate crq -`,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const [head, tail] = [JSON.stringify(QUOTA).slice(0, 40), JSON.stringify(QUOTA).slice(40)]
  // The reader has started, and has nothing to read, when it has been waiting for the rest of a line for a while.
  setTimeout(() => child.stdin.write(`${head}\n`), 500)
  setTimeout(() => child.stdin.end(`${tail}\n`), 1_000)
  const [code] = (await once(child, 'exit')) as [number]
  expect([code, await err]).toEqual([0, ''])
  expect(await out).toContain('kind: GlobalCustomQuota')
})
