// Made by types.mjs. Do not edit.

/**
 * One named answer, or row of answers, to the requests it matches. What is pasted from the API is read, too, and fakeopenai fmt writes it in the words that editors know.
 */
export interface Scenario {
  /**
   * The name of the scenario, by which a request can ask for it.
   */
  name: string
  /**
   * What it is for, for people.
   */
  description?: string
  /**
   * Words to find it by.
   */
  tags?: string | string[]
  /**
   * The scenario whose replies this one takes over and changes.
   */
  extends?: string
  /**
   * Which requests it answers. All conditions must hold; without any it answers every request.
   */
  when?: When
  /**
   * The answers, in order: the first whose condition holds and that is not used up is given.
   *
   * @minItems 1
   */
  replies?: [Reply | string, ...(Reply | string)[]]
  /**
   * The finished answer, streamed as the real service would. A text alone is its content.
   */
  message?: string | Message
  /**
   * Every chunk, pause and event; only the envelope, the framing and the closing [DONE] are added.
   */
  stream?: Step[]
  /**
   * An HTTP error instead of an answer. A text alone is its message, a number alone its status.
   */
  error?: string | number | Error
  /**
   * Rules for the vectors of a request to /v1/embeddings: the first that holds for an input counts. Default: a vector by its words.
   */
  embeddings?: (Embedding | unknown[])[] | (unknown[] | {})
  /**
   * Rules for what is found in each input of a request to /v1/moderations. Default: nothing.
   */
  moderations?: Moderation[] | {}
  /**
   * Ids, generated text and jitter are drawn from it. The same seed gives the same bytes.
   */
  seed?: number
  /**
   * Check requests as api.openai.com does, and answer bad ones with its errors.
   */
  strict?: boolean
  /**
   * Refuse requests whose messages cannot be the history of a conversation with tools.
   */
  check_history?: boolean
  /**
   * How many requests and tokens each API key can have. A request beyond a limit gets the real service's 429.
   */
  limits?: Limits
  /**
   * The lint rules that are broken on purpose.
   */
  quirks?:
    | (
        | 'missing-role'
        | 'role-repeated'
        | 'role-not-assistant'
        | 'missing-finish'
        | 'two-finishes'
        | 'content-after-finish'
        | 'unknown-finish-reason'
        | 'finish-does-not-fit'
        | 'content-after-call'
        | 'empty-stream'
        | 'two-dones'
        | 'chunk-after-done'
        | 'chunk-after-error'
        | 'error-after-finish'
        | 'tool-fragment-before-start'
        | 'tool-call-without-id'
        | 'tool-call-without-name'
        | 'tool-name-late'
        | 'tool-call-without-type'
        | 'unknown-tool-type'
        | 'tool-entry-without-index'
        | 'tool-index-gap'
        | 'tool-index-reused'
        | 'tool-id-repeated'
        | 'tool-name-repeated'
        | 'tool-fragment-blank'
        | 'tool-name-invalid'
        | 'tool-calls-interleaved'
        | 'two-calls-in-one-chunk'
        | 'duplicate-call-id'
        | 'two-kinds-of-calls'
        | 'arguments-not-text'
        | 'arguments-not-json'
        | 'arguments-not-object'
        | 'logprobs-do-not-spell-content'
        | 'logprob-entry-incomplete'
        | 'logprob-entry-short'
        | 'logprob-bytes-mismatch'
        | 'logprob-positive'
        | 'too-many-top-logprobs'
        | 'usage-with-choices'
        | 'usage-not-last'
        | 'two-usages'
        | 'usage-total-wrong'
        | 'usage-incomplete'
        | 'usage-not-numbers'
        | 'usage-negative'
        | 'usage-detail-too-large'
        | 'choice-index-gap'
        | 'two-choices-in-one-chunk'
        | 'choices-not-a-list'
        | 'choice-incomplete'
        | 'reasoning-member'
        | 'unknown-delta-member'
        | 'delta-member-type'
        | 'unknown-chunk-member'
        | 'chunk-without-envelope'
        | 'envelope-changes'
        | 'event-before-created'
        | 'event-after-end'
        | 'unknown-event'
        | 'sequence-number-wrong'
        | 'output-index-wrong'
        | 'item-not-open'
        | 'item-not-closed'
        | 'item-events-wrong'
        | 'opened-with-content'
        | 'part-not-open'
        | 'part-not-closed'
        | 'done-differs'
        | 'output-differs'
        | 'status-does-not-fit'
        | 'opening-repeated'
        | 'in-progress-missing'
        | 'response-id-changes'
        | 'event-incomplete'
        | 'text-not-done'
        | 'text-after-done'
        | 'annotation-index-wrong'
        | 'status-not-an-error'
        | 'retry-after-invalid'
        | 'error-status-mismatch'
      )
    | (
        | 'missing-role'
        | 'role-repeated'
        | 'role-not-assistant'
        | 'missing-finish'
        | 'two-finishes'
        | 'content-after-finish'
        | 'unknown-finish-reason'
        | 'finish-does-not-fit'
        | 'content-after-call'
        | 'empty-stream'
        | 'two-dones'
        | 'chunk-after-done'
        | 'chunk-after-error'
        | 'error-after-finish'
        | 'tool-fragment-before-start'
        | 'tool-call-without-id'
        | 'tool-call-without-name'
        | 'tool-name-late'
        | 'tool-call-without-type'
        | 'unknown-tool-type'
        | 'tool-entry-without-index'
        | 'tool-index-gap'
        | 'tool-index-reused'
        | 'tool-id-repeated'
        | 'tool-name-repeated'
        | 'tool-fragment-blank'
        | 'tool-name-invalid'
        | 'tool-calls-interleaved'
        | 'two-calls-in-one-chunk'
        | 'duplicate-call-id'
        | 'two-kinds-of-calls'
        | 'arguments-not-text'
        | 'arguments-not-json'
        | 'arguments-not-object'
        | 'logprobs-do-not-spell-content'
        | 'logprob-entry-incomplete'
        | 'logprob-entry-short'
        | 'logprob-bytes-mismatch'
        | 'logprob-positive'
        | 'too-many-top-logprobs'
        | 'usage-with-choices'
        | 'usage-not-last'
        | 'two-usages'
        | 'usage-total-wrong'
        | 'usage-incomplete'
        | 'usage-not-numbers'
        | 'usage-negative'
        | 'usage-detail-too-large'
        | 'choice-index-gap'
        | 'two-choices-in-one-chunk'
        | 'choices-not-a-list'
        | 'choice-incomplete'
        | 'reasoning-member'
        | 'unknown-delta-member'
        | 'delta-member-type'
        | 'unknown-chunk-member'
        | 'chunk-without-envelope'
        | 'envelope-changes'
        | 'event-before-created'
        | 'event-after-end'
        | 'unknown-event'
        | 'sequence-number-wrong'
        | 'output-index-wrong'
        | 'item-not-open'
        | 'item-not-closed'
        | 'item-events-wrong'
        | 'opened-with-content'
        | 'part-not-open'
        | 'part-not-closed'
        | 'done-differs'
        | 'output-differs'
        | 'status-does-not-fit'
        | 'opening-repeated'
        | 'in-progress-missing'
        | 'response-id-changes'
        | 'event-incomplete'
        | 'text-not-done'
        | 'text-after-done'
        | 'annotation-index-wrong'
        | 'status-not-an-error'
        | 'retry-after-invalid'
        | 'error-status-mismatch'
      )[]
  /**
   * false keeps faults away from all its replies.
   */
  faults?: boolean
  /**
   * What a healthy client comes to, or a list of alternatives.
   */
  expect?: Expect | [Expect, ...Expect[]]
  /**
   * The members that every chunk carries.
   */
  envelope?: Envelope
  /**
   * The rhythm of the chunks. Default: all at once.
   */
  pace?: Pace
  /**
   * How the stream is laid out in bytes. Default: as api.openai.com does.
   */
  wire?: Wire
  /**
   * Changes of the finished frames on their way, in order.
   */
  damage?: Damage | Damage[]
  /**
   * How the stream ends. Default: [DONE], then the orderly end of the HTTP body.
   */
  end?: ('close' | 'cut' | 'reset' | 'stall' | 'linger' | 'refuse') | End
}
/**
 * Conditions on a request. All of them must hold.
 */
export interface When {
  /**
   * The requested model. * stands for any text, ? for one character. One of a list must fit.
   */
  model?: string | [string, ...string[]]
  /**
   * The API that was called.
   */
  surface?: 'chat' | 'completions' | 'responses' | 'realtime' | 'embeddings' | 'moderations'
  /**
   * The path of a request that is for no API. * is any text within a part, ** any text, {id} a part that templates see as .match.id. One of a list must fit.
   */
  path?: string | [string, ...string[]]
  /**
   * The HTTP method of such a request. Default: any.
   */
  method?:
    | ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS')
    | [
        'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
        ...('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS')[]
      ]
  /**
   * Whether a stream was asked for.
   */
  stream?: boolean
  /**
   * The text of the last user message. One of a list must hold, here and in the other conditions on texts.
   */
  user?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
  /**
   * The text of the system or developer messages.
   */
  system?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
  /**
   * The text of any of the messages.
   */
  messages?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
  /**
   * Names of tools that the request must all offer.
   */
  tools?: string | string[]
  /**
   * The request has the result of a call: of this id, with this content, or of any call (true). All results of a list must be there.
   */
  tool_result?: (string | true | ToolResult) | [string | ToolResult, ...(string | ToolResult)[]]
  /**
   * 1 plus the number of assistant messages in the request.
   */
  turn?: number
  /**
   * Request headers by name: a text, a condition, or true for any value.
   */
  header?: {
    [k: string]: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]] | true | undefined
  }
  /**
   * How many tokens the prompt has, as usage counts them.
   */
  prompt_tokens?: PromptTokens
  /**
   * The API key of the request.
   */
  api_key?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
  /**
   * Places in the request's JSON body: a value, or a condition.
   */
  body?: {
    [k: string]: boolean | number | string | unknown[] | null | BodyCondition | undefined
  }
  /**
   * 1 for the first request with the same body and API key, 2 for its first retry.
   */
  attempt?: number
  /**
   * Conditions that must not all hold; any of those above.
   */
  not?: When
  /**
   * Another name of header, which fmt writes.
   */
  headers?: {
    [k: string]: unknown | undefined
  }
}
/**
 * A condition on a text: equals, or contains, matches or both.
 */
export interface TextCondition {
  /**
   * The text is exactly this.
   */
  equals?: string
  /**
   * The text holds this.
   */
  contains?: string
  /**
   * The text holds a match of this regular expression (Go's syntax). Its named groups can be used in templates.
   */
  matches?: string
}
/**
 * A condition on the result of a call that the request brings.
 */
export interface ToolResult {
  /**
   * The tool_call_id. Default: any.
   */
  id?: string
  /**
   * The content of the result. Default: any.
   */
  content?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
}
/**
 * How many tokens the prompt has, as usage counts them: at least min, at most max, or both.
 */
export interface PromptTokens {
  /**
   * The least number.
   */
  min?: number
  /**
   * The greatest number.
   */
  max?: number
}
/**
 * A condition on a place in the request's body: equals or exists, or contains, matches or both.
 */
export interface BodyCondition {
  /**
   * The place holds this value.
   */
  equals?: {
    [k: string]: unknown | undefined
  }
  /**
   * There is, or is not, such a place.
   */
  exists?: boolean
  /**
   * The text holds this.
   */
  contains?: string
  /**
   * The text holds a match of this regular expression (Go's syntax). Its named groups can be used in templates.
   */
  matches?: string
}
/**
 * One answer of a scenario: a condition, and one of message, stream, error, embeddings and moderations.
 */
export interface Reply {
  /**
   * Which of the requests it is for.
   */
  when?: When
  /**
   * How often it is given to each API key, before the next reply takes over. Default: without limit.
   */
  times?: number
  /**
   * How likely the reply is for each request, drawn from the seed; otherwise the next reply is tried. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
  /**
   * false keeps faults away from the reply.
   */
  faults?: boolean
  /**
   * What the sound that a client sends on the Realtime API says. The conversation, and later conditions, have it from then on.
   */
  transcript?: string
  /**
   * The finished answer, streamed as the real service would. A text alone is its content.
   */
  message?: string | Message
  /**
   * Every chunk, pause and event; only the envelope, the framing and the closing [DONE] are added.
   */
  stream?: Step[]
  /**
   * An HTTP error instead of an answer. A text alone is its message, a number alone its status.
   */
  error?: string | number | Error
  /**
   * Rules for the vectors of a request to /v1/embeddings: the first that holds for an input counts. Default: a vector by its words.
   */
  embeddings?: (Embedding | unknown[])[] | (unknown[] | {})
  /**
   * Rules for what is found in each input of a request to /v1/moderations. Default: nothing.
   */
  moderations?: Moderation[] | {}
  /**
   * The members that every chunk carries.
   */
  envelope?: Envelope
  /**
   * The rhythm of the chunks. Default: all at once.
   */
  pace?: Pace
  /**
   * How the stream is laid out in bytes. Default: as api.openai.com does.
   */
  wire?: Wire
  /**
   * Changes of the finished frames on their way, in order.
   */
  damage?: Damage | Damage[]
  /**
   * How the stream ends. Default: [DONE], then the orderly end of the HTTP body.
   */
  end?: ('close' | 'cut' | 'reset' | 'stall' | 'linger' | 'refuse') | End
}
/**
 * The finished answer, from which the stream follows.
 */
export interface Message {
  /**
   * The text of the answer. A list has the texts of its parts, on responses.
   */
  content?: ((string | GeneratedText) | null) | [string | GeneratedText, ...(string | GeneratedText)[]]
  /**
   * A generated text, in place of content.
   */
  fake?: Fake
  /**
   * The text of a refusal.
   */
  refusal?: (string | GeneratedText) | null
  /**
   * What the model thinks before it answers: a text is the summary.
   */
  reasoning?: (string | null) | Reasoning
  /**
   * Calls of function tools.
   */
  tool_calls?: (ToolCall | string)[]
  /**
   * Calls of custom tools.
   */
  custom_tool_calls?: CustomToolCall[]
  /**
   * A call in the old form, from before there were tools.
   */
  function_call?: FunctionCall
  /**
   * A spoken answer.
   */
  audio?: Audio
  /**
   * Annotations such as url_citation, as they are sent.
   */
  annotations?: unknown[] | null
  /**
   * The log-probabilities of the tokens. Default: generated when the request asks; true: always; false: never.
   */
  logprobs?: LogprobsEntry[] | boolean | null | Logprobs
  /**
   * Sends logprobs, and in a step usage, only to a request that asks for them.
   */
  when_asked?: boolean
  /**
   * The finish_reason. Default: what follows from the message.
   */
  finish?: string | null
  /**
   * The token counts. Default: counted.
   */
  usage?: Usage | null
  /**
   * How a text is cut into chunks. Default: by token.
   */
  by?: (('token' | 'word' | 'rune' | 'line' | 'all') | By) | number
  /**
   * For n > 1: a message for each choice. The rest of the message is empty then.
   *
   * @minItems 1
   */
  choices?: [string | Message, ...(string | Message)[]]
  /**
   * Another name of finish, which fmt writes.
   */
  finish_reason?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of reasoning, which fmt writes.
   */
  reasoning_content?: {
    [k: string]: unknown | undefined
  }
  /**
   * Read as the API writes it; fmt leaves it out.
   */
  role?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of usage, which fmt writes.
   */
  usage_metadata?: {
    [k: string]: unknown | undefined
  }
}
/**
 * A text of a given size, for what would be megabytes in the file.
 */
export interface GeneratedText {
  /**
   * What is written again and again.
   */
  repeat: string
  /**
   * How long the text is, in bytes. The last repetition may be cut.
   */
  bytes: number
}
/**
 * Generated content, the same for the same seed: one of words, sentences, paragraphs, template and json_schema.
 */
export interface Fake {
  /**
   * That many words.
   */
  words?: number
  /**
   * That many sentences.
   */
  sentences?: number
  /**
   * That many paragraphs.
   */
  paragraphs?: number
  /**
   * A gofakeit template, such as Dear {firstname}.
   */
  template?: string
  /**
   * A JSON text that satisfies a schema: the one of the request's response_format (request), or the one given.
   */
  json_schema?: 'request' | {}
  /**
   * How invented JSON breaks its schema: that of json_schema or, in a call with arguments that are fake, that of the offered tool.
   */
  break?: 'missing_required' | 'wrong_type' | 'cut_off' | 'not_json' | 'empty'
}
/**
 * What the model thinks before it answers.
 */
export interface Reasoning {
  /**
   * The summary of the reasoning; a list has its parts, in a message.
   */
  summary?: ((string | GeneratedText) | null) | ((string | GeneratedText) | null)[]
  /**
   * The reasoning itself: reasoning_text on responses.
   */
  text?: (string | GeneratedText) | null
  /**
   * The value that a client sends back in place of the texts; only on responses, for a request that includes it. Default: drawn from the seed.
   */
  encrypted_content?: string | null
  /**
   * In a step, on responses: begins the next part of the summary or of the text, or the next item.
   */
  next?: 'part' | 'item'
  /**
   * The member's name on chat completions. Default: reasoning_content.
   */
  field?: string
}
/**
 * A call of a function tool.
 */
export interface ToolCall {
  /**
   * The id of the call. Default: drawn from the seed.
   */
  id?: string | null
  /**
   * The name of the function or tool.
   */
  name?: string | null
  /**
   * The arguments: JSON text, YAML that becomes JSON, or fake, which invents them to satisfy the schema of the offered tool.
   */
  arguments?: string | null | (unknown[] | {})
  /**
   * How the arguments of a call are cut: into this many pieces (0: all in the opening chunk), or exactly these. Of an item, exactly the pieces of its texts.
   */
  pieces?: number | [string, ...string[]]
  /**
   * The position of the call. Default: the next one of the choice.
   */
  index?: number
  /**
   * Further members of the fragments after the first: a list such as [id, name] repeats members, a mapping gives them.
   */
  later?: (('id' | 'type' | 'name') | ['id' | 'type' | 'name', ...('id' | 'type' | 'name')[]]) | LaterFragments
  /**
   * Further members of the call, such as namespace, caller and async on responses.
   */
  extra?: {}
  /**
   * How invented JSON breaks its schema: that of json_schema or, in a call with arguments that are fake, that of the offered tool.
   */
  break?: 'missing_required' | 'wrong_type' | 'cut_off' | 'not_json' | 'empty'
  /**
   * Another name of arguments, which fmt writes.
   */
  args?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of id, which fmt writes.
   */
  call_id?: {
    [k: string]: unknown | undefined
  }
  /**
   * Read as the API writes it; fmt leaves it out.
   */
  function?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of arguments, which fmt writes.
   */
  input?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of arguments, which fmt writes.
   */
  parameters?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of arguments, which fmt writes.
   */
  params?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of id, which fmt writes.
   */
  tool_call_id?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of name, which fmt writes.
   */
  tool_name?: {
    [k: string]: unknown | undefined
  }
  /**
   * Read as the API writes it; fmt leaves it out.
   */
  type?: {
    [k: string]: unknown | undefined
  }
}
/**
 * What the fragments of a call have after the first one, beside index and arguments.
 */
export interface LaterFragments {
  /**
   * Their id.
   */
  id?: string | null
  /**
   * Their type.
   */
  type?: string | null
  /**
   * Their name.
   */
  name?: string | null
}
/**
 * A call of a custom tool.
 */
export interface CustomToolCall {
  /**
   * The id of the call. Default: drawn from the seed.
   */
  id?: string | null
  /**
   * The name of the function or tool.
   */
  name?: string | null
  /**
   * The text that is given to a custom tool, in place of arguments.
   */
  input?: string | null
  /**
   * The position of the call. Default: the next one of the choice.
   */
  index?: number
  /**
   * Further members of the fragments after the first: a list such as [id, name] repeats members, a mapping gives them.
   */
  later?: (('id' | 'type' | 'name') | ['id' | 'type' | 'name', ...('id' | 'type' | 'name')[]]) | LaterFragments
  /**
   * Further members of the call, such as namespace, caller and async on responses.
   */
  extra?: {}
}
/**
 * A call in the old form, from before there were tools.
 */
export interface FunctionCall {
  /**
   * The name of the function or tool.
   */
  name?: string | null
  /**
   * The arguments: JSON text, YAML that becomes JSON, or fake, which invents them to satisfy the schema of the offered tool.
   */
  arguments?: string | null | (unknown[] | {})
  /**
   * How invented JSON breaks its schema: that of json_schema or, in a call with arguments that are fake, that of the offered tool.
   */
  break?: 'missing_required' | 'wrong_type' | 'cut_off' | 'not_json' | 'empty'
}
/**
 * A spoken answer.
 */
export interface Audio {
  /**
   * The id of the audio. Default: drawn from the seed.
   */
  id?: string | null
  /**
   * The spoken text.
   */
  transcript: string
  /**
   * The sound, in base64. Default: silence as long as the transcript takes to say.
   */
  data?: string
  /**
   * Until when it can be referred to, in seconds since 1970.
   */
  expires_at?: number | null
}
/**
 * A token and its log-probability.
 */
export interface LogprobsEntry {
  /**
   * The text of the token.
   */
  token: string
  /**
   * Its log-probability; -9999.0 is a token that was not among the likely ones.
   */
  logprob?: number
  /**
   * Its bytes in UTF-8, or null.
   */
  bytes?: unknown[] | null
  /**
   * The likeliest tokens at this place.
   */
  top_logprobs?: LogprobsEntry[]
}
/**
 * The log-probabilities of the content's and the refusal's tokens.
 */
export interface Logprobs {
  /**
   * The tokens of the content, or null.
   */
  content?: LogprobsEntry[] | null
  /**
   * The tokens of the refusal, or null.
   */
  refusal?: LogprobsEntry[] | null
}
/**
 * The token counts. What is left out is filled in as the real service would.
 */
export interface Usage {
  /**
   * Tokens of the request.
   */
  prompt_tokens?: number | null
  /**
   * Tokens of the answer.
   */
  completion_tokens?: number | null
  /**
   * Default: the sum.
   */
  total_tokens?: number | null
  /**
   * Such as { cached_tokens: 1024 }, which can stand beside it, too. Default: zeros.
   */
  prompt_tokens_details?: {} | null
  /**
   * Such as { reasoning_tokens: 64 }, a part of completion_tokens. Default: zeros.
   */
  completion_tokens_details?: {} | null
  /**
   * Further members, such as { cost: 0.1 }, which are sent in the place where extra stands.
   */
  extra?: {}
  /**
   * Short for completion_tokens_details: { accepted_prediction_tokens }, which fmt writes.
   */
  accepted_prediction_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Short for prompt_tokens_details: { cached_tokens }, which fmt writes.
   */
  cache_read_input_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Short for prompt_tokens_details: { cache_write_tokens }, which fmt writes.
   */
  cache_write_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Short for prompt_tokens_details: { cached_tokens }, which fmt writes.
   */
  cached_input_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Short for prompt_tokens_details: { cached_tokens }, which fmt writes.
   */
  cached_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of prompt_tokens, which fmt writes.
   */
  input_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of prompt_tokens_details, which fmt writes.
   */
  input_tokens_details?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of completion_tokens, which fmt writes.
   */
  output_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of completion_tokens_details, which fmt writes.
   */
  output_tokens_details?: {
    [k: string]: unknown | undefined
  }
  /**
   * Short for completion_tokens_details: { reasoning_tokens }, which fmt writes.
   */
  reasoning_tokens?: {
    [k: string]: unknown | undefined
  }
  /**
   * Short for completion_tokens_details: { rejected_prediction_tokens }, which fmt writes.
   */
  rejected_prediction_tokens?: {
    [k: string]: unknown | undefined
  }
}
/**
 * How a text is cut into pieces of the same size.
 */
export interface By {
  /**
   * The number of characters in a piece.
   */
  size: number
}
/**
 * One line of a stream: a chunk, a wire event or a pause.
 */
export interface Step {
  /**
   * The delta's role.
   */
  role?: string | null
  /**
   * The delta's content.
   */
  content?: (string | GeneratedText) | null
  /**
   * The delta's refusal.
   */
  refusal?: (string | GeneratedText) | null
  /**
   * A piece of what the model thinks: a text is of the summary.
   */
  reasoning?: (string | null) | Reasoning
  /**
   * A call of a function tool: an opening chunk, then its arguments in pieces.
   */
  tool_call?: ToolCall
  /**
   * The delta's tool_calls, exactly as written.
   */
  tool_calls?: unknown[] | null
  /**
   * A call of a custom tool: an opening chunk, then its input in pieces.
   */
  custom_tool?: CustomToolCall
  /**
   * A call in the old form: an opening chunk, then its arguments in pieces.
   */
  function_call?: FunctionCall
  /**
   * A fragment of a call as one chunk sends it, member by member; a list is several in one chunk.
   */
  fragment?: CallFragment | [CallFragment, ...CallFragment[]]
  /**
   * The delta's audio, exactly as written.
   */
  audio?: {} | null
  /**
   * The delta's annotations, exactly as written.
   */
  annotations?: unknown[] | null
  /**
   * An output item of the Responses API, with all the events in which the service sends it.
   */
  item?:
    | {
        type: string
        extra?: {}
      }
    | string
  /**
   * The chunk's log-probabilities: authored, or true to invent them for its text.
   */
  logprobs?: LogprobsEntry[] | boolean | null | Logprobs
  /**
   * This many chunks with an empty delta; true is one.
   */
  heartbeat?: number | true | {}
  /**
   * The finish_reason.
   */
  finish?: string | null
  /**
   * The token counts. Alone in a step, a chunk without choices.
   */
  usage?: Usage | null
  /**
   * A text, cut into content chunks.
   */
  text?: string | GeneratedText
  /**
   * Generated content, cut into chunks.
   */
  fake?: Fake
  /**
   * The whole delta, exactly as written.
   */
  delta?: {
    [k: string]: unknown | undefined
  }
  /**
   * The whole chunk, exactly as written; not even the envelope is added.
   */
  chunk?: {
    [k: string]: unknown | undefined
  }
  /**
   * How a text is cut into chunks. Default: by token.
   */
  by?: (('token' | 'word' | 'rune' | 'line' | 'all') | By) | number
  /**
   * How the arguments of a call are cut: into this many pieces (0: all in the opening chunk), or exactly these. Of an item, exactly the pieces of its texts.
   */
  pieces?: number | [string, ...string[]]
  /**
   * On responses, part begins another part of the message with the text of the step. (The next message is a step item: { type: message }.)
   */
  next?: 'part'
  /**
   * The index of the choice, for n > 1.
   */
  choice?: number
  /**
   * The pause before it, in place of the pace's.
   */
  after?: Duration | 0
  /**
   * The pause between its chunks, in place of the pace's.
   */
  every?: Duration | 0
  /**
   * A pause varies by up to this much, either way; with normal, lognormal or gamma the standard deviation.
   */
  jitter?: Duration | 0
  /**
   * Sends it this many times.
   */
  repeat?: number
  /**
   * Further members of the chunk.
   */
  extra?: {}
  /**
   * Places taken out of the finished chunk, such as delta.refusal.
   */
  omit?: string | [string, ...string[]]
  /**
   * Places overwritten in the finished chunk, with any JSON value.
   */
  set?: {
    [k: string]: unknown | undefined
  }
  /**
   * How the step's events are laid out in bytes.
   */
  wire?: WireOfAStep
  /**
   * The lint rules that are broken on purpose.
   */
  quirks?: string | [string, ...string[]]
  /**
   * Sends logprobs, and in a step usage, only to a request that asks for them.
   */
  when_asked?: boolean
  /**
   * An SSE comment line.
   */
  comment?: string
  /**
   * Bytes as written.
   */
  raw?: string | GeneratedText
  /**
   * An SSE event, field by field.
   */
  event?: Event
  /**
   * An error object in mid-stream. A text alone is its message.
   */
  error?: string | number | ErrorStep
  /**
   * true sends [DONE] here; with any such step the closing [DONE] is not added.
   */
  done?: boolean
  /**
   * A pause.
   */
  wait?: Duration | 0
  /**
   * Waits here until the test, or an HTTP call, releases the hold of this name.
   */
  hold?: string
  /**
   * Waits here for a message of the client, or for a request that another scenario answers.
   */
  until?: Until
  /**
   * Another name of finish, which fmt writes.
   */
  finish_reason?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of reasoning, which fmt writes.
   */
  reasoning_content?: {
    [k: string]: unknown | undefined
  }
  /**
   * Another name of content, which fmt writes.
   */
  text_delta?: {
    [k: string]: unknown | undefined
  }
}
/**
 * A fragment of a call of a tool, as one chunk sends it. What is left out is not sent.
 */
export interface CallFragment {
  /**
   * The position of the call.
   */
  index?: number | null
  /**
   * The id of the call.
   */
  id?: string | null
  /**
   * The type of the call: function, custom, or what a server sends in their place.
   */
  type?: string | null
  /**
   * The name of the function or tool.
   */
  name?: string | null
  /**
   * A piece of the arguments: text, or YAML that becomes JSON.
   */
  arguments?: string | null | (unknown[] | {})
  /**
   * A piece of the input of a custom tool, in place of arguments.
   */
  input?: string | null
}
/**
 * How the events of one step are laid out in bytes.
 */
export interface WireOfAStep {
  /**
   * Which of the step's events, by kind or name as in damage. Default: all.
   */
  frames?:
    | string
    | (
        | 'role'
        | 'content'
        | 'refusal'
        | 'reasoning'
        | 'tool'
        | 'logprobs'
        | 'heartbeat'
        | 'finish'
        | 'usage'
        | 'error'
        | 'comment'
        | 'done'
        | 'all'
      )
  /**
   * A comment line before the event's fields, with no blank line between.
   */
  comment?: string | number | boolean
  /**
   * The name of the event. null leaves out the one that it has on responses.
   */
  event?: (string | number | boolean) | null
  /**
   * The id of the event.
   */
  id?: string | number | boolean
  /**
   * The reconnection time; any text can be sent.
   */
  retry?: string | number | boolean
  /**
   * The end of a line, or of the lines of an event and of its blank line.
   */
  newline?: ('lf' | 'crlf' | 'cr' | 'mixed') | ['lf' | 'crlf' | 'cr', 'lf' | 'crlf' | 'cr']
  /**
   * false leaves out the space after a field's colon.
   */
  space?: boolean
  /**
   * Writes the JSON over several data: lines: one for each member (true), or this many.
   */
  multiline_data?: boolean | number
  /**
   * How the JSON is laid out.
   */
  json_style?: 'compact' | 'spaced' | 'ascii' | 'compact-ascii' | 'html' | 'pretty' | 'pretty-4'
}
/**
 * An SSE event, field by field.
 */
export interface Event {
  /**
   * Its name.
   */
  event?: string | number | boolean
  /**
   * The id of the event.
   */
  id?: string | number | boolean
  /**
   * The reconnection time; any text can be sent.
   */
  retry?: string | number | boolean
  /**
   * Its data: a text, each line of which becomes a data: line, or YAML that becomes JSON.
   */
  data?: (string | number | boolean) | GeneratedText | (unknown[] | {} | null)
}
/**
 * An error object in mid-stream.
 */
export interface ErrorStep {
  /**
   * The HTTP status of the error. Default: by the code, or 500.
   */
  status?: number
  /**
   * What went wrong. Default: what the real service says with the code or the status.
   */
  message?: string | null
  /**
   * The kind of error. Default: what the real service sends with the code or the status.
   */
  type?: string | null
  /**
   * The parameter of the request that is at fault. Default: what the real service sends with the code, or null.
   */
  param?: string | null
  /**
   * The error code. Default: what the real service sends with the status, or null.
   */
  code?: string | null
  /**
   * Further members of the error object.
   */
  extra?: {}
  /**
   * Further members of the body, beside error, such as choices.
   */
  beside?: {}
  /**
   * Members taken out of the error object, such as param.
   */
  omit?: string | [string, ...string[]]
  /**
   * Members of the error object overwritten with any JSON value, such as { code: 42 }; or error itself.
   */
  set?: {
    [k: string]: unknown | undefined
  }
  /**
   * The members stand in the body itself, and not under error.
   */
  flat?: boolean
  /**
   * In a stream: also write an event: line with this name.
   */
  event?: string
}
/**
 * What a stream waits for: a message of the client or an answer to another request. The test can release it, too.
 */
export interface Until {
  /**
   * A message of the client over WebSocket: its type, or conditions as in when.body.
   */
  message?:
    | string
    | {
        [k: string]: boolean | number | string | unknown[] | null | BodyCondition | undefined
      }
  /**
   * The name of a scenario: waits until it has answered a request of the same API key that began later.
   */
  request?: string
  /**
   * How long it waits at most; then the stream goes on. Default: without an end.
   */
  within?: Duration | 0
  /**
   * The name by which tests await and release it. Default: the type of the message or the scenario.
   */
  name?: string
}
/**
 * OpenAI's error object and the HTTP response around it.
 */
export interface Error {
  /**
   * The HTTP status of the error. Default: by the code, or 500.
   */
  status?: number
  /**
   * What went wrong. Default: what the real service says with the code or the status.
   */
  message?: string | null
  /**
   * The kind of error. Default: what the real service sends with the code or the status.
   */
  type?: string | null
  /**
   * The parameter of the request that is at fault. Default: what the real service sends with the code, or null.
   */
  param?: string | null
  /**
   * The error code. Default: what the real service sends with the status, or null.
   */
  code?: string | null
  /**
   * Further members of the error object.
   */
  extra?: {}
  /**
   * Further members of the body, beside error, such as choices.
   */
  beside?: {}
  /**
   * Members taken out of the error object, such as param.
   */
  omit?: string | [string, ...string[]]
  /**
   * Members of the error object overwritten with any JSON value, such as { code: 42 }; or error itself.
   */
  set?: {
    [k: string]: unknown | undefined
  }
  /**
   * The members stand in the body itself, and not under error.
   */
  flat?: boolean
  /**
   * In place of an answer: the Retry-After header.
   */
  retry_after?: Duration | 0
  /**
   * In place of an answer: further headers of the response; null removes one that the server sends by itself.
   */
  headers?: {
    [k: string]:
      null | string | number | boolean | [string | number | boolean, ...(string | number | boolean)[]] | undefined
  }
  /**
   * In place of an answer: sent in place of the error object, as it is: an HTML page, half a JSON text.
   */
  body?: string | GeneratedText
}
/**
 * The vector of the inputs for which a condition holds.
 */
export interface Embedding {
  /**
   * The text of the input, for a moderation also the URL of an image. Default: any.
   */
  input?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
  /**
   * The vector. It is sent as it is, whatever its length.
   *
   * @minItems 1
   */
  vector: [number, ...number[]]
  /**
   * Another name of vector, which fmt writes.
   */
  embedding?: {
    [k: string]: unknown | undefined
  }
  /**
   * Read as the API writes it; fmt leaves it out.
   */
  object?: {
    [k: string]: unknown | undefined
  }
}
/**
 * What is found in the inputs for which a condition holds.
 */
export interface Moderation {
  /**
   * The text of the input, for a moderation also the URL of an image. Default: any.
   */
  input?: string | TextCondition | [string | TextCondition, ...(string | TextCondition)[]]
  /**
   * How sure the service is of each category, from 0 to 1, or true for 0.99. From 0.5 it is flagged, and the input with it.
   */
  categories: {
    [k: string]: true | number | undefined
  }
}
/**
 * The members that every chunk of an answer carries.
 */
export interface Envelope {
  /**
   * Default: chatcmpl- and 29 letters and digits drawn from the seed.
   */
  id?: string | null
  /**
   * Default: chat.completion.chunk.
   */
  object?: string | null
  /**
   * Seconds since 1970, or per_chunk for the time at which each chunk is sent. Other texts and fractions are sent as they are. Default: when the answer began.
   */
  created?: number | 'per_chunk' | string | null
  /**
   * Default: the dated snapshot of the model that was asked for.
   */
  model?: string | null
  /**
   * Default: fp_ and 10 hex digits, where the layout has it.
   */
  system_fingerprint?: string | null
  /**
   * Default: default, where the layout has it.
   */
  service_tier?: string | null
  /**
   * Which real layout is sent. Default: by the requested model and the path.
   */
  layout?:
    | (
        | 'gpt-4o'
        | 'parallel-calls'
        | 'reasoning'
        | 'search-preview'
        | 2024
        | 'audio'
        | 'azure'
        | '2025-03'
        | '2025-10'
        | '2026-02'
        | 'minimal'
      )
    | string
  /**
   * false leaves the member out; texts are its values, chunk after chunk. Default: drawn from the seed.
   */
  obfuscation?: boolean | [string, ...string[]]
  /**
   * Whether chunks without usage say usage: null. Default: if the request asks for usage.
   */
  usage_null?: boolean
  /**
   * How the events of responses are numbered. Default: from 0, one by one.
   */
  sequence_number?: SequenceNumber
  /**
   * The ids of the items of an answer of the Responses API, in their order. Default: drawn from the seed.
   *
   * @minItems 1
   */
  item_ids?: [string, ...string[]]
  /**
   * The order of the members of every chunk, its choices and their deltas; other members follow. Default: by the layout.
   *
   * @minItems 1
   */
  order?: [string, ...string[]]
  /**
   * Places taken out of every finished chunk and of the answer in one piece, such as usage.prompt_tokens_details.
   */
  omit?: string | [string, ...string[]]
  /**
   * Places overwritten in every finished chunk and in the answer in one piece, with any JSON value.
   */
  set?: {
    [k: string]: unknown | undefined
  }
  /**
   * The status of an answer of the Responses API at its end. Default: by the finish.
   */
  response?: ('completed' | 'incomplete' | 'failed' | 'cancelled' | 'queued') | Response
  /**
   * Further members, such as { provider: x }.
   */
  extra?: {}
}
/**
 * How the events of responses are numbered.
 */
export interface SequenceNumber {
  /**
   * The first number. Default: 0.
   */
  start?: number
  /**
   * By how much each number is larger than the one before; 0 numbers all alike. Default: 1.
   */
  step?: number
}
/**
 * How an answer of the Responses API stands in the end.
 */
export interface Response {
  /**
   * The status of the answer, which decides the last event. queued begins a stream, and is the whole answer in one piece. Default: incomplete beside incomplete_details, failed beside error.
   */
  status?: 'completed' | 'incomplete' | 'failed' | 'cancelled' | 'queued'
  /**
   * Why the answer is incomplete, such as { reason: content_filter }. Default: the reason that the finish gives, or max_output_tokens.
   */
  incomplete_details?: {}
  /**
   * Why the answer failed, such as { code: rate_limit_exceeded }. Default: the code server_error, and the message of the real service for the code.
   */
  error?: {}
}
/**
 * The rhythm of the chunks.
 */
export interface Pace {
  /**
   * The pause before the first chunk: the time to first token.
   */
  first?: (Duration | 0) | First
  /**
   * The pause between two chunks, or between two bursts.
   */
  every?: Duration | 0
  /**
   * A pause varies by up to this much, either way; with normal, lognormal or gamma the standard deviation.
   */
  jitter?: Duration | 0
  /**
   * How pauses are drawn. Default: constant.
   */
  distribution?: 'constant' | 'uniform' | 'normal' | 'lognormal' | 'gamma'
  /**
   * Pauses taken in turn and from the start again, in place of every.
   *
   * @minItems 1
   */
  recorded?: [Duration | 0, ...(Duration | 0)[]]
  /**
   * What the pauses are between. On responses a chunk may be several events, which leave together unless this is event. Default: chunk.
   */
  per?: 'chunk' | 'event'
  /**
   * How many chunks leave at once. Default: 1.
   */
  burst?: number | Burst
  /**
   * Plays this many times as fast; instant leaves no pauses.
   */
  speed?: 'instant' | number
}
/**
 * How the pause before the first chunk is drawn.
 */
export interface First {
  /**
   * A pause varies by up to this much, either way; with normal, lognormal or gamma the standard deviation.
   */
  jitter?: Duration | 0
  /**
   * How pauses are drawn. Default: constant.
   */
  distribution?: 'constant' | 'uniform' | 'normal' | 'lognormal' | 'gamma'
  /**
   * The pause, or the mean of what is drawn.
   */
  mean: Duration | 0
}
/**
 * How many chunks leave at once, drawn for each burst.
 */
export interface Burst {
  /**
   * The least number.
   */
  min: number
  /**
   * The greatest number.
   */
  max: number
}
/**
 * How the stream is laid out in bytes.
 */
export interface Wire {
  /**
   * The end of a line, or of the lines of an event and of its blank line. Default: lf.
   */
  newline?: ('lf' | 'crlf' | 'cr' | 'mixed') | ['lf' | 'crlf' | 'cr', 'lf' | 'crlf' | 'cr']
  /**
   * A byte order mark before the first byte.
   */
  bom?: boolean
  /**
   * false leaves out the space after a field's colon.
   */
  space?: boolean
  /**
   * How the bytes are cut into separate writes.
   */
  split?: ('byte' | 'rune' | 'inside_rune' | 'crlf' | 'field' | 'inside_chunk' | 'random') | number | Split
  /**
   * This many events leave in one write.
   */
  coalesce?: number
  /**
   * Writes the JSON of an event over several data: lines: one for each member (true), or this many.
   */
  multiline_data?: boolean | number
  /**
   * A comment before each event.
   */
  comments_between?: string | GeneratedText
  /**
   * An event: line with this name on each event. null leaves out the names that responses have.
   */
  event_name?: string | null
  /**
   * An id: line on each event: counted from 1 (true or count), or a hash of that number (hash).
   */
  ids?: boolean | ('count' | 'hash')
  /**
   * A retry: line on the first event, in milliseconds.
   */
  retry?: number
  /**
   * false leaves out the blank line after the last event.
   */
  final_blank?: boolean
  /**
   * How many [DONE] events close the stream; false leaves [DONE] out.
   */
  done?: number | boolean
  /**
   * How JSON is laid out. Default: compact in a stream, pretty in an answer of one piece and in an error.
   */
  json_style?: 'compact' | 'spaced' | 'ascii' | 'compact-ascii' | 'html' | 'pretty' | 'pretty-4'
  /**
   * Compresses the body: with a flush for each frame (flush), all at the end (buffer), or only its first half (truncate).
   */
  gzip?: 'flush' | 'buffer' | 'truncate'
  /**
   * Compresses even for a client that does not accept it.
   */
  gzip_forced?: boolean
  /**
   * The connection after the answer. Default: keep-alive; null says that over an inherited word.
   */
  connection?: ('keep-alive' | 'close' | 'close_on_reuse') | null
  /**
   * How the client learns where the body ends: by HTTP's last chunk (chunked, the default) or by the end of the connection (close).
   */
  length?: 'chunked' | 'close'
  /**
   * The pause before the status line.
   */
  header_delay?: Duration | 0
  /**
   * The body flows at this many bytes per second.
   */
  drip?: number
  /**
   * The Content-Type header.
   */
  content_type?: string
  /**
   * Further headers of the response; null removes one that the server sends by itself.
   */
  headers?: {
    [k: string]:
      null | string | number | boolean | [string | number | boolean, ...(string | number | boolean)[]] | undefined
  }
  /**
   * The HTTP status. Default: 200.
   */
  status?: number
  /**
   * What is sent, whatever the request asks for. Default: sse to one that asks for a stream, json to others.
   */
  format?: 'sse' | 'json' | 'ndjson'
  /**
   * Sent in place of the answer: a text, the bytes of a file, or YAML that becomes JSON. It needs no message or stream.
   */
  body?: string | GeneratedText | BodyOfAFile | (unknown[] | {})
  /**
   * The last steps of a stream that is open when the server shuts down: comment, raw, event, error or done. Default: it breaks off.
   */
  on_shutdown?: Step | Step[]
}
/**
 * How the bytes of a stream are cut into separate writes.
 */
export interface Split {
  /**
   * Where the cuts are.
   */
  by?: 'byte' | 'rune' | 'inside_rune' | 'crlf' | 'field' | 'inside_chunk' | 'random'
  /**
   * Or: pieces of this many bytes.
   */
  size?: number
  /**
   * Or: after these numbers of bytes of the body.
   */
  at?: number | [number, ...number[]]
  /**
   * With by: random, what the cuts are drawn from. Default: the scenario's seed.
   */
  seed?: number
  /**
   * The pause between two pieces. Default: 1ms.
   */
  gap?: Duration | 0
}
/**
 * The bytes of a file that are sent in place of an answer.
 */
export interface BodyOfAFile {
  /**
   * The path of the file, beginning at the directory of the scenario's own file.
   */
  file: string
}
/**
 * One thing that goes wrong on the way: one of drop, duplicate, swap, move, rename, retype, replace, keep and corrupt.
 */
export interface Damage {
  /**
   * These frames are not sent.
   */
  drop?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * These frames are sent twice.
   */
  duplicate?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * These two frames change places.
   *
   * @minItems 2
   * @maxItems 2
   */
  swap?: [
    (
      | number
      | (
          | string
          | (
              | 'role'
              | 'content'
              | 'refusal'
              | 'reasoning'
              | 'tool'
              | 'logprobs'
              | 'heartbeat'
              | 'finish'
              | 'usage'
              | 'error'
              | 'comment'
              | 'done'
              | 'all'
            )
          | string
        )
    ),
    (
      | number
      | (
          | string
          | (
              | 'role'
              | 'content'
              | 'refusal'
              | 'reasoning'
              | 'tool'
              | 'logprobs'
              | 'heartbeat'
              | 'finish'
              | 'usage'
              | 'error'
              | 'comment'
              | 'done'
              | 'all'
            )
          | string
        )
    )
  ]
  /**
   * Frames are sent later than they belong, behind another one.
   */
  move?: Move
  /**
   * A member gets another name.
   */
  rename?: Rename
  /**
   * A value becomes one of another type.
   */
  retype?: Retype
  /**
   * A value becomes another.
   */
  replace?: Replace
  /**
   * Of an object only some members are left.
   */
  keep?: Keep
  /**
   * Bytes are changed.
   */
  corrupt?:
    | (
        | (
            | number
            | (
                | string
                | (
                    | 'role'
                    | 'content'
                    | 'refusal'
                    | 'reasoning'
                    | 'tool'
                    | 'logprobs'
                    | 'heartbeat'
                    | 'finish'
                    | 'usage'
                    | 'error'
                    | 'comment'
                    | 'done'
                    | 'all'
                  )
              )
          )
        | [
            (
              | number
              | (
                  | string
                  | (
                      | 'role'
                      | 'content'
                      | 'refusal'
                      | 'reasoning'
                      | 'tool'
                      | 'logprobs'
                      | 'heartbeat'
                      | 'finish'
                      | 'usage'
                      | 'error'
                      | 'comment'
                      | 'done'
                      | 'all'
                    )
                  | string
                )
            ),
            ...(
              | number
              | (
                  | string
                  | (
                      | 'role'
                      | 'content'
                      | 'refusal'
                      | 'reasoning'
                      | 'tool'
                      | 'logprobs'
                      | 'heartbeat'
                      | 'finish'
                      | 'usage'
                      | 'error'
                      | 'comment'
                      | 'done'
                      | 'all'
                    )
                  | string
                )
            )[]
          ]
      )
    | Corrupt
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * Frames are sent later than they belong, behind another one.
 */
export interface Move {
  /**
   * Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all.
   */
  frames:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * Behind which frame; the last of several.
   */
  after:
    | number
    | (
        | string
        | (
            | 'role'
            | 'content'
            | 'refusal'
            | 'reasoning'
            | 'tool'
            | 'logprobs'
            | 'heartbeat'
            | 'finish'
            | 'usage'
            | 'error'
            | 'comment'
            | 'done'
            | 'all'
          )
      )
}
/**
 * A member gets another name.
 */
export interface Rename {
  /**
   * Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all.
   */
  frames?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * The place of the member.
   */
  from: string
  /**
   * The new name, type or value, which is any JSON without templates.
   */
  to: string
}
/**
 * A value becomes one of another type.
 */
export interface Retype {
  /**
   * Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all.
   */
  frames?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * The place of the value. replace passes over frames without one; of keep it is an object, by default the whole frame.
   */
  at: string
  /**
   * The new name, type or value, which is any JSON without templates.
   */
  to: 'string' | 'number' | 'bool' | 'null' | 'array' | 'object' | 'absent'
}
/**
 * A value becomes another.
 */
export interface Replace {
  /**
   * Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all.
   */
  frames?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * The place of the value. replace passes over frames without one; of keep it is an object, by default the whole frame.
   */
  at: string
  /**
   * The new name, type or value, which is any JSON without templates.
   */
  to: {
    [k: string]: unknown | undefined
  }
}
/**
 * Of an object only some members are left.
 */
export interface Keep {
  /**
   * Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all.
   */
  frames?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * The place of the value. replace passes over frames without one; of keep it is an object, by default the whole frame.
   */
  at?: string
  /**
   * The members that keep leaves.
   */
  members: string | [string, ...string[]]
}
/**
 * Bytes are changed.
 */
export interface Corrupt {
  /**
   * Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all.
   */
  frames?:
    | (
        | number
        | (
            | string
            | (
                | 'role'
                | 'content'
                | 'refusal'
                | 'reasoning'
                | 'tool'
                | 'logprobs'
                | 'heartbeat'
                | 'finish'
                | 'usage'
                | 'error'
                | 'comment'
                | 'done'
                | 'all'
              )
          )
      )
    | [
        (
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        ),
        ...(
          | number
          | (
              | string
              | (
                  | 'role'
                  | 'content'
                  | 'refusal'
                  | 'reasoning'
                  | 'tool'
                  | 'logprobs'
                  | 'heartbeat'
                  | 'finish'
                  | 'usage'
                  | 'error'
                  | 'comment'
                  | 'done'
                  | 'all'
                )
              | string
            )
        )[]
      ]
  /**
   * How many bytes are changed. Default: 1.
   */
  bytes?: number
}
/**
 * How a stream ends: one of close, cut, reset, stall, linger and refuse.
 */
export interface End {
  /**
   * Orderly, but without [DONE]; a message also without its finish.
   */
  close?: Close | (boolean | number | string)
  /**
   * Inside an event; the connection closes without HTTP's final chunk.
   */
  cut?: Cut | (boolean | number | string)
  /**
   * The connection is reset.
   */
  reset?: Reset | (boolean | number | string)
  /**
   * Silence, then the connection closes. A duration alone is how long.
   */
  stall?: ((Duration | 0) | Stall) | (boolean | number | string)
  /**
   * All is sent, but the connection stays open. A duration alone is how long.
   */
  linger?: ((Duration | 0) | Linger) | (boolean | number | string)
  /**
   * The connection closes before any answer.
   */
  refuse?: Refuse | (boolean | number | string)
}
/**
 * Orderly, but without [DONE]; a message also without its finish.
 */
export interface Close {
  /**
   * How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included.
   */
  after?: number | 'all'
  /**
   * How many bytes are sent before: of the body or, beside after, of the frame that follows.
   */
  byte?: number
  /**
   * Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes.
   */
  inside?: boolean | 'rune'
  /**
   * Of close: the code of the close frame over WebSocket, such as 1012; none sends one without a code. Default: 1000.
   */
  code?: 'none' | number
  /**
   * Of close: what the close frame says over WebSocket, in at most 123 bytes.
   */
  reason?: string
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * Inside an event; the connection closes without HTTP's final chunk.
 */
export interface Cut {
  /**
   * How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included.
   */
  after?: number | 'all'
  /**
   * How many bytes are sent before: of the body or, beside after, of the frame that follows.
   */
  byte?: number
  /**
   * Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes.
   */
  inside?: boolean | 'rune'
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * The connection is reset.
 */
export interface Reset {
  /**
   * How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included.
   */
  after?: number | 'all'
  /**
   * How many bytes are sent before: of the body or, beside after, of the frame that follows.
   */
  byte?: number
  /**
   * Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes.
   */
  inside?: boolean | 'rune'
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * Silence, then the connection closes. A duration alone is how long.
 */
export interface Stall {
  /**
   * How long a stall or linger is. Default: 60s.
   */
  for?: Duration | 0
  /**
   * How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included.
   */
  after?: number | 'all'
  /**
   * How many bytes are sent before: of the body or, beside after, of the frame that follows.
   */
  byte?: number
  /**
   * Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes.
   */
  inside?: boolean | 'rune'
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * All is sent, but the connection stays open. A duration alone is how long.
 */
export interface Linger {
  /**
   * How long a stall or linger is. Default: 60s.
   */
  for?: Duration | 0
  /**
   * How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included.
   */
  after?: number | 'all'
  /**
   * How many bytes are sent before: of the body or, beside after, of the frame that follows.
   */
  byte?: number
  /**
   * Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes.
   */
  inside?: boolean | 'rune'
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * The connection closes before any answer.
 */
export interface Refuse {
  /**
   * Of refuse: by a reset in place of an ordinary close.
   */
  reset?: boolean
  /**
   * How likely it is, of a damage for each frame, drawn from the seed. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
}
/**
 * How much each API key can have, in a window that slides.
 */
export interface Limits {
  /**
   * How many requests are answered in a window.
   */
  rpm?: number
  /**
   * How many tokens of prompts and answers are spent in a window.
   */
  tpm?: number
  /**
   * How many answers are open at the same time.
   */
  concurrent?: number
  /**
   * How long the minute of rpm and tpm is. Default: 1m.
   */
  window?: Duration | 0
}
/**
 * What a healthy client comes to. Members that are left out are not compared.
 */
export interface Expect {
  /**
   * The text of the first choice.
   */
  text?: string | GeneratedText
  /**
   * The text of its refusal.
   */
  refusal?: string | GeneratedText
  /**
   * Its calls of tools and functions, in their order; [] for no calls.
   */
  calls?: ExpectedCall[]
  /**
   * Its finish_reason, in the words of chat completions.
   */
  finish?: string
  /**
   * The token counts that are compared, such as { completion_tokens: 3 }.
   */
  usage?: Usage | null
  /**
   * true: an error, because the answer is broken; any: an error, or else the rest of the expectation. Default: no error.
   */
  error?: true | 'any'
}
/**
 * A call that a client finds.
 */
export interface ExpectedCall {
  /**
   * The id of the call. Default: any.
   */
  id?: string
  /**
   * The name of the function or tool.
   */
  name: string
  /**
   * The arguments: a mapping is compared as JSON, a text as it is. Default: any.
   */
  arguments?: string | {}
}
/**
 * Faults that are laid over the answers of scenarios.
 */
export interface Faults {
  /**
   * What the document is called: reports name it.
   */
  name?: string
  /**
   * What it is for, for people.
   */
  description?: string
  /**
   * Which requests the faults can strike. Default: all.
   */
  when?: When
  /**
   * What the faults are drawn from. Default: the server's seed.
   */
  seed?: number
  /**
   * The first fault that fits a request and is drawn strikes its answer. A text such as 429 5% is a fault, and the name of a preset stands for its faults.
   */
  faults: ((string | number) | Fault) | [(string | number) | Fault, ...((string | number) | Fault)[]]
}
/**
 * What goes wrong with an answer: an error in its place, or what is laid over it.
 */
export interface Fault {
  /**
   * Which of the requests it is for.
   */
  when?: When
  /**
   * How often it is given to each API key, before the next reply takes over. Default: without limit.
   */
  times?: number
  /**
   * How likely the reply is for each request, drawn from the seed; otherwise the next reply is tried. Default: always.
   */
  chance?: number | `${number}%` | `${number} %`
  /**
   * When it begins: a time since the server began or was reset, or a number of requests of the API key.
   */
  after?: (Duration | 0) | number
  /**
   * How long it lasts: a time, or a number of requests. Default: without end.
   */
  for?: (Duration | 0) | number
  /**
   * An HTTP error instead of an answer. A text alone is its message, a number alone its status.
   */
  error?: string | number | Error
  /**
   * The rhythm of the chunks. Default: all at once.
   */
  pace?: Pace
  /**
   * How the stream is laid out in bytes. Default: as api.openai.com does.
   */
  wire?: Wire
  /**
   * Changes of the finished frames on their way, in order.
   */
  damage?: Damage | Damage[]
  /**
   * How the stream ends. Default: [DONE], then the orderly end of the HTTP body.
   */
  end?: ('close' | 'cut' | 'reset' | 'stall' | 'linger' | 'refuse') | End
}

type Unit = 'ns' | 'us' | 'µs' | 'ms' | 's' | 'm' | 'h'

/** A duration with its unit: 50ms, 1.5s, 2m, 1m30s. */
export type Duration = `${number}${Unit}` | `${number}${Unit}${number}${Unit}` | `${number}h${number}m${number}s`
