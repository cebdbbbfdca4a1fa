import { generateKeyPairSync, verify } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { auditResult, licenseProblems, signatureOf, versionProblems } from '../../scripts/artefacts/release-checks.ts'
import { temporaryDirectory } from '../start-allot.ts'

/** A clone that names these versions. */
function cloneWith(changed: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory()
  const files = {
    'package.json': JSON.stringify({ version: '1.2.0' }),
    'package-lock.json': JSON.stringify({ version: '1.2.0', packages: { '': { version: '1.2.0' } } }),
    'CHANGELOG.md': '# Changelog\n\n## 1.2.0\n\n## 1.1.0\n',
    'config/chart/Chart.yaml': 'version: 1.2.0\nappVersion: "1.2.0"\n',
    ...changed,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const sbomWith = (license: string): string =>
  JSON.stringify({ components: [{ name: 'a', version: '1.0.0', licenses: [{ expression: license }] }] })

describe('the checks of a release', () => {
  test('are content with the versions of this clone, whose changelog may be ahead of them', () => {
    const problems = versionProblems(fileURLToPath(new URL('../..', import.meta.url)))
    expect(problems.filter((problem) => !problem.startsWith('CHANGELOG.md'))).toEqual([])
  })

  test('are content where every file names the version', () => {
    expect(versionProblems(cloneWith({}))).toEqual([])
  })

  test.each([
    ['package.json', '{"version": "1.3.0"}', 5],
    ['package-lock.json', '{"version": "1.1.0", "packages": {"": {"version": "1.2.0"}}}', 1],
    ['CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 1.2.0\n', 1],
    ['CHANGELOG.md', '# Changelog\n', 1],
    ['config/chart/Chart.yaml', 'version: 1.2.0\nappVersion: "1.1.0"\n', 1],
  ])('find that %s names another version: %j', (file, text, problems) => {
    expect(versionProblems(cloneWith({ [file]: text }))).toHaveLength(problems)
  })

  test.each([
    ['MIT', []],
    ['GPL-3.0-only', ['a 1.0.0 has the licence GPL-3.0-only']],
    ['none', ['a 1.0.0 has the licence none']],
  ])('look at the licence of each part: %s', (license, problems) => {
    expect(licenseProblems(sbomWith(license))).toEqual(problems)
  })

  test.each([
    ['{"vulnerabilities": {}}', { problems: [] }],
    ['{"vulnerabilities": {"a": {"severity": "high", "range": "<2"}}}', { problems: ['a <2: high'] }],
    ['{"message": "405 Method Not Allowed"}', { problems: [], unchecked: '405 Method Not Allowed' }],
    ['', { problems: [], unchecked: 'npm audit printed no report' }],
  ])('tell an audit that found nothing from one that did not happen: %s', (stdout, outcome) => {
    expect(auditResult(stdout)).toEqual(outcome)
  })

  test.each([
    ['ed25519', null, generateKeyPairSync('ed25519')],
    ['ec', 'sha256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ] as const)('sign the sums with a key of the kind %s', (_, algorithm, { privateKey, publicKey }) => {
    const signature = signatureOf('the sums', privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect(verify(algorithm, Buffer.from('the sums'), publicKey, signature)).toBe(true)
    expect(verify(algorithm, Buffer.from('other sums'), publicKey, signature)).toBe(false)
  })
})
