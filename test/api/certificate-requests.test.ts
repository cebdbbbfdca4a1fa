import { expect, test } from 'vitest'
import { apiServer, MERGE } from './api-server.ts'

const api = apiServer()
const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const CLIENT = 'kubernetes.io/kube-apiserver-client'

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, content.length]), content])
}
/** A request without key and signature: nobody looks at these. */
function request(organization: string, tag = 0x0c): string {
  const attribute = der(0x30, der(0x06, Buffer.from('55040a', 'hex')), der(tag, Buffer.from(organization)))
  const info = der(0x30, der(0x02, Buffer.from([0])), der(0x30, der(0x31, attribute)))
  const body = der(0x30, info).toString('base64')
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`
  return Buffer.from(pem).toString('base64')
}
const asking = (name: string, signerName: string, organization = 'harbour'): unknown => ({
  metadata: { name },
  spec: { request: request(organization), signerName, usages: ['client auth'] },
})
const condition = (type: string, message: string): object => ({
  status: { conditions: [{ type, status: 'True', reason: 'R', message }] },
})
const as = (user: string): Readonly<Record<string, string>> => ({ ...MERGE, 'impersonate-user': user })

async function grant(user: string, rules: readonly object[]): Promise<void> {
  await api.create(`${RBAC}/clusterroles`, { metadata: { name: user }, rules })
  await api.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
  })
}
const on = (resources: readonly string[], verbs: readonly string[], resourceNames?: readonly string[]): object => ({
  apiGroups: ['certificates.k8s.io'],
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
})
const WRITES = on(['certificatesigningrequests/approval', 'certificatesigningrequests/status'], ['patch', 'update'])

test('nobody asks for a certificate of the administrators for the clients of the server', async () => {
  const refused = await api.send('POST', PATH, asking('root', CLIENT, 'system:masters'))
  expect(refused).toMatchObject({ status: 403 })
  expect(refused.body.message).toBe(
    'certificatesigningrequests.certificates.k8s.io "root" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  )
  await api.create(PATH, asking('usual', CLIENT))
  await api.create(PATH, asking('other', 'harbour.test/signer', 'system:masters'))
})

test.each([
  ['approve', 'approval', 'Approved'],
  ['sign', 'status', 'Failed'],
])('who may not %s for a signer is refused, by its name or its domain', async (verb, subresource, type) => {
  const signer = 'harbour.test/signer'
  const path = `${PATH}/${verb}/${subresource}`
  await api.create(PATH, asking(verb, signer))
  await grant(`${verb}-none`, [WRITES, on(['signers'], [verb], ['harbour.test/other'])])
  await grant(`${verb}-name`, [WRITES, on(['signers'], [verb], [signer])])
  await grant(`${verb}-domain`, [WRITES, on(['signers'], [verb], ['harbour.test/*'])])
  const refused = await api.send('PATCH', path, condition(type, 'none'), as(`${verb}-none`))
  expect(refused).toMatchObject({ status: 403 })
  expect(refused.body.message).toContain(`user not permitted to ${verb} requests with signerName "${signer}"`)
  for (const user of [`${verb}-name`, `${verb}-domain`])
    expect(await api.send('PATCH', path, condition(type, user), as(user))).toMatchObject({ status: 200 })
})
