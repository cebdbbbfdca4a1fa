import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { failedFiles, type Report } from '../../scripts/report.ts'
import { skippedTests } from '../../scripts/skipped.ts'
import { temporaryDirectory } from '../start-allot.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SYSTEM_FOLDERS = ['/usr/bin', '/bin']
/** The prefixes of the names that such a machine lacks. */
const LACKING = /^(?:kubectl|strace|openssl|go$|gofmt|helm|python|pip|curl|apt|docker)/
/** Files of all sorts that need one of these. */
const FILES = [
  'test/kubectl',
  'test/clients/go',
  'test/clients/helm',
  'test/clients/python',
  'test/openapi',
  'test/manifests/applied-manifests',
  'test/store/fsync',
  'test/cli/certificates',
  'test/readme/readme',
  'test/readme/resource-pools',
  'test/differential/compared-discovery',
  'test/differential/compared-webhooks',
]

describe('on a machine with git, make, bash and Node', () => {
  const home = temporaryDirectory()
  let env: Record<string, string>
  beforeAll(() => {
    const bin = join(home, 'bin')
    mkdirSync(bin)
    const names = new Set<string>()
    for (const folder of SYSTEM_FOLDERS)
      for (const name of readdirSync(folder)) {
        if (names.has(name) || LACKING.test(name)) continue
        names.add(name)
        symlinkSync(join(folder, name), join(bin, name))
      }
    env = { PATH: [join(ROOT, 'node_modules/.bin'), dirname(process.execPath), bin].join(delimiter), HOME: home }
  })

  test('nothing of what tests need besides is there, and that stops nobody', () => {
    expect(spawnSync('bash', ['-c', 'command -v kubectl strace openssl python3 go'], { env }).stdout.toString()).toBe(
      '',
    )
    const { status, stderr } = spawnSync(join(ROOT, 'scripts/test-tools'), { env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, expect.stringContaining('kubectl 1.32 or newer is not on the PATH')])
  })

  test('tests pass or are skipped for want of something that is named', () => {
    const file = join(home, 'report.json')
    const args = ['run', ...FILES, '--project', 'server', '--project', 'heavy', '--reporter=json']
    execFileSync('vitest', [...args, `--outputFile.json=${file}`], { cwd: ROOT, env, stdio: 'pipe' })
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report
    expect(failedFiles(report)).toEqual([])
    const skipped = skippedTests(report, ROOT)
    expect(skipped.map(({ what }) => what)).toEqual([
      'a real API server',
      'Go 1.21 or newer',
      'Python',
      'kubectl 1.20',
      'strace',
      'openssl',
      'kubectl 1.32 or newer',
    ])
    for (const { tests, remedy } of skipped) expect([tests.length > 0, remedy.length > 0]).toEqual([true, true])
  })
})
