// Made by types.mjs. Do not edit.

export interface Attempt {
  accepted_broken_answer?: string
  answer?: 'whole' | 'broken' | 'error' | 'failed' | 'refused' | 'none' | 'unknown'
  asked_ns?: number
  close_code?: number
  failed: boolean
  gap_ns?: number
  idempotency_key?: string
  problem?: string
  request: number
  retry_count?: string
  right?: boolean
  same_body: boolean
  status: number
  time: string
  verdict?: 'early' | 'in_time' | 'late' | 'forbidden'
}
export interface Call {
  api_key?: string
  attempts: Attempt[]
  idempotency_key?: string
  method: string
  outcome: 'open' | 'succeeded' | 'failed' | 'unknown'
  path: string
  same_body: boolean
}
export interface CallList {
  calls: Call[]
  findings: Finding[]
}
export interface Finding {
  kind: 'retry' | 'accepted_broken_answer'
  problem: string
  request: number
}
export interface Change {
  anew: boolean
  forgotten?: number
  keeps: number
  oldest: number
  requests: Row[]
  started: string
}
export interface Row {
  answer?: 'whole' | 'broken' | 'error' | 'failed' | 'refused' | 'none' | 'unknown'
  api_key?: string
  call: number
  duration_ns: number
  end?: string
  ended: 'complete' | 'as_authored' | 'client_left' | 'shutdown' | 'open'
  failed?: boolean
  found?: string
  frames: number
  id: number
  injected?: string
  method: string
  model?: string
  path: string
  planned: number
  protocol?: string
  problem?: string
  scenario?: string
  status: number
  surface?: string
  time: string
  turn?: number
  connection?: number
  lane?: string
  verdict?: 'early' | 'in_time' | 'late' | 'forbidden'
}
export interface Delivery {
  bytes: number
  close_code?: number
  duration_ns: number
  end?: string
  ended: 'complete' | 'as_authored' | 'client_left' | 'shutdown' | 'open'
  frames: number
  left?: 'fin' | 'rst' | 'http2_cancel' | 'context' | 'deadline'
  left_after_ns?: number
  planned: number
  protocol: string
  request_number: number
  /**
   * The number of the WebSocket connection, from 1; absent over HTTP.
   */
  connection?: number
  /**
   * The stream id of the turn, if its message has one.
   */
  lane?: string
  reused: boolean
  stalls?: Stalls
  step: number
  unread?: Unread
}
export interface Stalls {
  count: number
  longest_ns: number
  total_ns: number
}
export interface Unread {
  bytes: number
  frames: number
}
export interface Diagnostic {
  column?: number
  file?: string
  hint?: string
  line?: number
  message: string
  rule?: string
  width?: number
}
export interface Differences {
  differences: {
    what: string
    /**
     * A header, or a kind of event and a place in its JSON.
     */
    where: string
  }[]
}
export interface Down {
  down_for: string
}
export interface Endpoint {
  does: string
  method: string
  parameters?: string[]
  path: string
}
export interface EndpointList {
  endpoints: Endpoint[]
}
export interface Entry {
  advice?: RetryAdvice
  answer?: 'whole' | 'broken' | 'error' | 'failed' | 'refused' | 'none' | 'unknown'
  api_key?: string
  bad_history?: boolean
  body?: unknown
  delivery: Delivery
  drawn?: string[]
  error_code?: string
  failed?: boolean
  fault?: boolean
  header: {
    [k: string]: string[] | undefined
  }
  id: number
  injected?: string
  limit?: string
  method: string
  model?: string
  note?: string
  path: string
  problem?: string
  reply: number
  scenario?: string
  seed?: number
  status: number
  stream?: boolean
  time: string
  transcript?: string
  unmatched?: boolean
  warnings?: string[]
}
export interface RetryAdvice {
  retry_after_ns?: number
  should_retry?: boolean
}
export interface Error {
  error: ErrorObject
}
export interface ErrorObject {
  code: string
  message: string
  param: unknown
  type: string
}
export interface Fault {
  chance?: number
  fault: string
  source?: string
  times?: number
  when?: string[]
}
export interface FaultList {
  faults: Fault[]
}
export interface Forgotten {
  attempts: number
  keys: number
}
export interface Found {
  /**
   * The oldest request that was looked at: a search takes a second at most, and begins with the newest.
   */
  oldest: number
  requests: number[]
}
export interface Frame {
  base64?: string
  due_ns: number
  hold?: string
  kind?: string
  more?: boolean
  text?: string
}
export interface Health {
  status: string
}
export interface Hold {
  name: string
  released_in_advance: number
  waiting: WaitingStream[]
}
export interface WaitingStream {
  api_key?: string
  reply: number
  request: number
  scenario: string
}
export interface HoldList {
  holds: Hold[]
}
export interface LoadError {
  diagnostics: Diagnostic[]
  error: ErrorObject
}
export interface OpenAPI {}
export interface Release {
  hold: string
  in_advance: boolean
  released: number
}
export interface Reload {
  scenarios: number
}
export interface Reply {
  chance?: number
  given?: number
  kind: string
  times?: number
  when?: string[]
}
export interface RequestList {
  forgotten: number
  forgotten_of_unknown_keys?: number
  requests: Entry[]
}
export interface ScenarioList {
  forgotten?: Forgotten
  scenarios: ScenarioInfo[]
}
export interface ScenarioInfo {
  description?: string
  holds?: string[]
  name: string
  replies: Reply[]
  source?: string
  tags?: string[]
  when?: string[]
}
export interface SentList {
  plain: string
  sends: {
    [k: string]: string | undefined
  }
}
export interface Shown {
  forgotten: number
  usage: ShownKey[]
}
export interface ShownKey {
  api_key: string
  limits: ShownWindow[]
}
export interface ShownWindow {
  concurrent?: number
  of: string
  open: number
  requests: ShownLevel
  tokens: ShownLevel
  window: string
}
export interface ShownLevel {
  limit?: number
  remaining?: number
  reset?: string
  used: number
}
export interface Timeline {
  end?: string
  end_at_ns: number
  frames: Frame[]
  header?: {
    [k: string]: string[] | undefined
  }
  /**
   * Nobody looked when the answer was sent, so that it has no writes.
   */
  made_again?: boolean
  start_ns: number
  status: number
  /**
   * How many bytes the event has in which the answer breaks off.
   */
  torn?: number
  waits: Wait[]
  /**
   * How many events the answer would have if it did not end early.
   */
  whole?: number
  writes: Write[]
}
export interface Wait {
  hold: string
  reached_ns: number
  released_ns?: number
}
export interface Write {
  began_ns: number
  bytes: number
  ended_ns: number
  /**
   * How many TCP packets left for the client meanwhile. Left out where none did or it is not known.
   */
  packets?: number
}
export interface Trial {
  conditions: Verdict[]
  /**
   * Why it did not answer, as a 404 says it.
   */
  reason?: string
  reply: number
  scenario: string
}
export interface Verdict {
  condition: string
  holds: boolean
  reason?: string
  value?: string
}
export interface Tried {
  name: string
  replies: {
    /**
     * Those of the scenario and the reply, for the request on which they are tried.
     */
    conditions?: Verdict[]
    /**
     * Why the reply sends nothing.
     */
    problem?: string
    timeline?: Timeline
  }[]
}
export interface Trying {
  diagnostics: Diagnostic[]
  scenarios: Tried[]
}
export interface Why {
  /**
   * Why the request was answered so, in a sentence.
   */
  because: string
  /**
   * How many scenarios are not among picked and others.
   */
  more: number
  others: Trial[]
  picked: Trial | null
}
