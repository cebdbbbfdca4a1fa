import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readManifestPaths } from './read-manifest-paths.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'manifests-'))
afterAll(() => rmSync(ROOT, { recursive: true }))

function put(path: string, text?: string): void {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  const name = path.replaceAll(/\W/g, '-')
  writeFileSync(join(ROOT, path), text ?? `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`)
}
for (const path of ['all/b.yaml', 'all/a.json', 'all/c.yml', 'all/a/deep.yaml', 'all/a/b/deepest.yml', 'lone.yaml'])
  put(path)
put('all/README.md', 'no manifest')
put('all/values.yaml.tmpl', '{{ no manifest }}')
put('outer/inner/one.yaml')
symlinkSync('..', join(ROOT, 'all/a/up'))

const names = async (paths: readonly string[], isRecursive = false): Promise<readonly (string | undefined)[]> =>
  (
    await readManifestPaths(
      paths.map((path) => join(ROOT, path)),
      { flag: '--filename', isRecursive },
    )
  ).map(({ metadata }) => metadata.name)

test('a folder gives its manifests in the order of their names, and those of its folders where that is asked', async () => {
  expect(await names(['all'])).toEqual(['all-a-json', 'all-b-yaml', 'all-c-yml'])
  expect(await names(['all'], true)).toEqual([
    'all-a-b-deepest-yml',
    'all-a-deep-yaml',
    'all-a-json',
    'all-b-yaml',
    'all-c-yml',
  ])
})

test('several paths give their manifests one after the other', async () => {
  expect(await names(['lone.yaml', 'all', 'lone.yaml'])).toEqual([
    'lone-yaml',
    'all-a-json',
    'all-b-yaml',
    'all-c-yml',
    'lone-yaml',
  ])
})

test('a folder without manifests is an error that says what to do', async () => {
  await expect(names(['outer'])).rejects.toMatchObject({
    message: `the folder ${join(ROOT, 'outer')} (from --filename) has no manifests`,
    advice:
      'give a folder with files that end in .yaml, .yml or .json, or have the folders in it read with --recursive',
  })
  expect(await names(['outer'], true)).toEqual(['outer-inner-one-yaml'])
  await expect(names(['missing'])).rejects.toThrow(join(ROOT, 'missing'))
})
