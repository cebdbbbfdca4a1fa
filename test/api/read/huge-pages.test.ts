import { expect, test } from 'vitest'
import { apiServer } from '../api-server.ts'

const api = apiServer()

const pod = (name: string, resources: object): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources }] },
})
const messageFor = async (resources: object): Promise<string> =>
  (await api.send('POST', '/api/v1/namespaces/default/pods', pod('p', resources))).body.message

test('of huge pages one has whole ones', async () => {
  const at = 'Pod "p" is invalid: spec.containers[0].resources'
  expect(await messageFor({ limits: { cpu: '1', 'hugepages-2Mi': '3Mi' }, requests: { 'hugepages-2Mi': '3Mi' } })).toBe(
    `Pod "p" is invalid: [spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi, ` +
      `spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi]`,
  )
  expect(await messageFor({ limits: { cpu: '1', 'hugepages-0': '0' }, requests: { 'hugepages-0': '0' } })).toContain(
    `${at.replace(': spec', ': [spec')}.limits[hugepages-0]: Invalid value: "0": 0 is not positive integer multiple of hugepages-0`,
  )
  const whole = { limits: { cpu: '1', 'hugepages-2Mi': '4Mi', 'hugepages-1Gi': '1Gi' } }
  await api.create('/api/v1/namespaces/default/pods', pod('whole', whole))
})
