import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { distanceOfChange, keysByDistance, nearestTests } from '../../scripts/nearest-tests.ts'
import { Dependencies } from '../../scripts/unchanged.ts'

const FILES = {
  'src/sum.vectors.test.ts': "import './sum.ts'\nimport './direct.ts'\n",
  'src/sum.ts': "import './second.ts'\n",
  'src/direct.ts': '',
  'src/second.ts': "import './third.ts'\n",
  'src/third.ts': "import './fourth.ts'\n",
  'src/fourth.ts': '',
  'src/other.ts': '',
}

test.each([
  ['src/sum.vectors.test.ts', 0],
  ['src/sum.ts', 0],
  ['src/direct.ts', 1],
  ['src/second.ts', 2],
  ['src/third.ts', 3],
  ['src/fourth.ts', 3],
  ['src/other.ts', undefined],
])('a change of %s is at distance %s from the test', (changed, distance) => {
  const root = mkdtempSync(join(tmpdir(), 'allot-nearest-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const keys = (): string => keysByDistance(new Dependencies(root), 'src/sum.vectors.test.ts')
  const before = keys()
  writeFileSync(join(root, changed), 'changed')
  expect(distanceOfChange(before, keys())).toBe(distance)
})

test('a test that never passed, or failed last, is at distance 0', () => {
  expect(distanceOfChange(undefined, 'a b c d')).toBe(0)
})

test('the nearest and cheapest tests run within the CPU time, and each at distance 0 beyond it', () => {
  const waiting = [
    { file: 'far.test.ts', distance: 3, cpuSeconds: 0.1 },
    { file: 'near-dear.test.ts', distance: 1, cpuSeconds: 3 },
    { file: 'near.test.ts', distance: 1, cpuSeconds: undefined },
    { file: 'own.test.ts', distance: 0, cpuSeconds: 9 },
    { file: 'new.test.ts', distance: 0, cpuSeconds: undefined },
  ]
  expect(nearestTests(waiting, 9.2)).toEqual(['new.test.ts', 'own.test.ts'])
  expect(nearestTests(waiting, 10)).toEqual(['new.test.ts', 'own.test.ts', 'near.test.ts'])
  expect(nearestTests(waiting, 20)).toHaveLength(waiting.length)
})

test('one test runs whatever it costs, so that repeated runs come to an end', () => {
  const dear = { file: 'dear.test.ts', distance: 3, cpuSeconds: 60 }
  expect(nearestTests([dear, { ...dear, file: 'more.test.ts' }], 1)).toEqual(['dear.test.ts'])
  expect(nearestTests([], 1)).toEqual([])
})
