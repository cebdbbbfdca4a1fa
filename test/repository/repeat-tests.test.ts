import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../start-allot.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/repeat-tests', import.meta.url))

test('tests are run again and again, the last runs beside a load on all cores', () => {
  const folder = temporaryDirectory()
  const [suite, loads] = [join(folder, 'suite'), join(folder, 'loads')]
  // Fails when it was run before, and notes how many programs the one that started it runs beside it.
  writeFileSync(
    suite,
    `echo $(($(wc -w < /proc/$PPID/task/$PPID/children) - 1)) >> ${loads}
[ $(wc -l < ${loads}) = 1 ] && echo '1 passed, 0 failed' && exit 0
echo 'FAIL test/a.test.ts: a waits: again: 5 s'
echo 'FLAKY test/b.test.ts: b'
echo '1 passed, 1 failed'
exit 1
`,
  )
  const { status, stdout } = spawnSync(SCRIPT, ['3', '1', 'bash', suite], { encoding: 'utf8' })
  expect(stdout.split('\n').map((line) => line.trim())).toEqual([
    'ok   run 1: 1 passed, 0 failed',
    'FAIL run 2: 1 passed, 1 failed',
    'FAIL run 3: 1 passed, 1 failed',
    'How many of the 3 runs failed each test:',
    '2 test/b.test.ts: b',
    '2 test/a.test.ts: a waits',
    '',
  ])
  expect(status).toBe(1)
  expect(readFileSync(loads, 'utf8')).toBe(`0\n0\n${availableParallelism()}\n`)
})
