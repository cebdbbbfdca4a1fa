import { describe, expect, test } from 'vitest'
import { errorOfAnswer, eventError } from './answer-error.ts'

const answer = (status: number, text = '', more = {}) => ({
  status,
  text,
  contentType: 'text/plain',
  retryAfterSeconds: undefined,
  ...more,
})
const pods = { group: '', resource: 'pods' }
const deployments = { group: 'apps', resource: 'deployments' }

describe('an answer that is not a Status is reported in the words of client-go', () => {
  test.each([
    [400, '', 'BadRequest', 'the server rejected our request for an unknown reason (get pods web)'],
    [401, '', 'Unauthorized', 'the server has asked for the client to provide credentials (get pods web)'],
    [403, 'no entry\n', 'Forbidden', 'no entry (get pods web)'],
    [404, '404 page not found', 'NotFound', 'the server could not find the requested resource (get pods web)'],
    [405, '', 'MethodNotAllowed', 'the server does not allow this method on the requested resource (get pods web)'],
    [
      406,
      '',
      'NotAcceptable',
      'the server was unable to respond with a content type that the client supports (get pods web)',
    ],
    [406, 'only JSON', 'NotAcceptable', 'only JSON (get pods web)'],
    [409, '', 'Conflict', 'the server reported a conflict (get pods web)'],
    [415, 'only JSON', 'UnsupportedMediaType', 'only JSON (get pods web)'],
    [
      418,
      '',
      'Unknown',
      'the server responded with the status code 418 but did not return more information (get pods web)',
    ],
    [422, '', 'Invalid', 'the server rejected our request due to an error in our request (get pods web)'],
    [
      429,
      '',
      'TooManyRequests',
      'the server has received too many requests and has asked us to try again later (get pods web)',
    ],
    [
      500,
      'boom',
      'InternalError',
      'an error on the server ("boom") has prevented the request from succeeding (get pods web)',
    ],
    [
      502,
      'bad gateway',
      'InternalError',
      'an error on the server ("bad gateway") has prevented the request from succeeding (get pods web)',
    ],
    [503, '', 'ServiceUnavailable', 'the server is currently unable to handle the request (get pods web)'],
    [
      504,
      '',
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request (get pods web)',
    ],
  ])('%i %j', (code, text, reason, message) => {
    const { status } = errorOfAnswer(answer(code, text), { method: 'GET', resource: pods, name: 'web' })
    expect(status).toMatchObject({ code, reason, message, details: { name: 'web', kind: 'pods' } })
  })

  test('a conflict of a creation is an object that exists', () => {
    const { status } = errorOfAnswer(answer(409), { method: 'POST', resource: deployments })
    expect(status).toMatchObject({
      reason: 'AlreadyExists',
      message: 'the server reported a conflict (post deployments.apps)',
      details: { group: 'apps', kind: 'deployments' },
    })
  })

  test('without a resource only the words are reported', () => {
    const { status } = errorOfAnswer(answer(404), { method: 'GET' })
    expect(status.message).toBe('the server could not find the requested resource')
  })

  test('an answer in another form than text is not repeated in the error', () => {
    const { status } = errorOfAnswer(answer(500, '\u0000\u0001', { contentType: 'application/octet-stream' }), {
      method: 'GET',
    })
    expect(status.message).toBe('an error on the server ("unknown") has prevented the request from succeeding')
  })

  test('when to try again is kept', () => {
    const { status } = errorOfAnswer(answer(429, '', { retryAfterSeconds: 7 }), { method: 'GET' })
    expect(status.details?.retryAfterSeconds).toBe(7)
  })
})

describe('a Status', () => {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Conflict', message: 'no', code: 409 }

  test('is kept as it is', () => {
    const error = errorOfAnswer(answer(409, JSON.stringify({ ...status, metadata: {} })), { method: 'PUT' })
    expect([error.status, error.message]).toEqual([{ ...status, metadata: {} }, 'no'])
  })

  test('without a code has that of the answer, and the time of its header', () => {
    const { code: _, ...rest } = status
    const error = errorOfAnswer(answer(429, JSON.stringify(rest), { retryAfterSeconds: 2 }), { method: 'PUT' })
    expect(error.status).toMatchObject({ code: 429, details: { retryAfterSeconds: 2 }, metadata: {} })
  })

  test('of an ERROR event is one too', () => {
    expect(eventError({ ...status, code: 410, reason: 'Expired' }).status).toMatchObject({
      code: 410,
      reason: 'Expired',
    })
  })

  test('that an ERROR event does not have is an internal error', () => {
    expect(eventError('?').status).toMatchObject({ code: 500, reason: 'InternalError' })
  })
})
