import type { Answer } from './start-allot.ts'

/** The names of all objects, by kind, with the labels of namespaces; without Events and what API servers keep for themselves. */
export async function allObjects(get: (path: string) => Promise<Answer>): Promise<readonly string[]> {
  const groups = (await get('/apis')).json.groups.map(
    (one: { readonly preferredVersion: { readonly groupVersion: string } }) =>
      `/apis/${one.preferredVersion.groupVersion}`,
  )
  const found: string[] = []
  for (const path of ['/api/v1', ...groups]) {
    const { resources = [] } = (await get(path)).json
    for (const { name, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list') || ['events', 'componentstatuses'].includes(name)) continue
      for (const { metadata } of (await get(`${path}/${name}`)).json.items ?? [])
        if (metadata.namespace !== 'kube-system')
          found.push(
            [
              name,
              metadata.namespace,
              metadata.name,
              name === 'namespaces' ? JSON.stringify(metadata.labels) : '',
            ].join(' '),
          )
    }
  }
  return found.toSorted()
}
