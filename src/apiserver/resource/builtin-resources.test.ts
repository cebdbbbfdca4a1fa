import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtinResources, builtinTypeName } from './builtin-resources.ts'

const data = (file: string) => JSON.parse(readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), 'utf8'))
const resources = builtinResources(data('kubernetes-1.36-resources.json'), {
  pods: { shortNames: ['po'], categories: ['all'] },
  'deployments.apps': { shortNames: ['deploy'] },
  endpoints: { singular: 'endpoints' },
})
const find = (group: string, resource: string) =>
  resources.filter((one) => one.group === group && one.resource === resource)

describe('the built-in resources', () => {
  test('are those of stable versions only, with both versions of autoscaling', () => {
    expect(resources.every(({ version }) => /^v[0-9]+$/.test(version))).toBe(true)
    expect(find('autoscaling', 'horizontalpodautoscalers').map(({ version }) => version)).toEqual(['v1', 'v2'])
  })

  test('have definitions in the data that say they are of that kind', () => {
    const { definitions } = data('kubernetes-1.36-definitions.json')
    const wrong = resources.flatMap((resource) => {
      const { group, version, listKind, verbs, subresources, typeName = '' } = resource
      const list = verbs.includes('list') ? [{ group, version, kind: listKind }] : []
      const named = [...subresources, ...list].map((of) => ({ name: builtinTypeName(of), of }))
      return [{ name: typeName, of: resource }, ...named].filter(({ name, of }) => {
        const kinds: { group: string; version: string; kind: string }[] =
          definitions[name]?.['x-kubernetes-group-version-kind'] ?? []
        return !kinds.some((one) => one.group === of.group && one.version === of.version && one.kind === of.kind)
      })
    })
    expect(wrong).toEqual([])
  })

  test('carry their subresources with the kind those take', () => {
    expect(find('apps', 'deployments')[0]?.subresources).toEqual([
      { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
      { name: 'status', kind: 'Deployment', group: 'apps', version: 'v1', verbs: ['get', 'patch', 'update'] },
    ])
  })

  test('leave out what would connect to a running container', () => {
    expect(find('', 'pods')[0]?.subresources.map(({ name }) => name)).toEqual([
      'binding',
      'ephemeralcontainers',
      'eviction',
      'log',
      'resize',
      'status',
    ])
  })

  test('take short names, categories and singulars from the table, the singular else from the kind', () => {
    expect(find('', 'pods')[0]).toMatchObject({ shortNames: ['po'], categories: ['all'], singular: 'pod' })
    expect(find('apps', 'deployments')[0]).toMatchObject({ shortNames: ['deploy'], singular: 'deployment' })
    expect(find('', 'endpoints')[0]).toMatchObject({ singular: 'endpoints' })
    expect(find('', 'secrets')[0]).not.toHaveProperty('shortNames')
  })

  test('cannot be read from something else', () => {
    expect(() => builtinResources({})).toThrow(TypeError)
  })
})
