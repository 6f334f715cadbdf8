q() { curl -s -o /dev/null -w '%{http_code} ' $FAKEOPENAI_URL/v1/chat/completions -d '{"model":"gpt-4o","messages":[{"role":"user","content":"'$1'"}]}'; }
q hi; q hi; q auth; q auth; q down; q hi; q hi
curl -s -o /dev/null $FAKEOPENAI_URL/v1/chat/completions -d '{"model":"gpt-4o","messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}]}'
