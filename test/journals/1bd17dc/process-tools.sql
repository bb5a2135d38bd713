-- do/holdfast-SessionObject/50f4bea65188a81f9e1debd9b18937fd54e7e0368e4eafafcbaac64cbf7ba5aa.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (2, '["ada","process-tools","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781496, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"30b77526490c4e5b","agent":"process-tools"}');
INSERT INTO "events" VALUES (2, 0, 1795369781496, 'turn-started', '869e42cbf9b848f9', 137, '{"v":1,"type":"turn-started","turn":"869e42cbf9b848f9","loopId":"869e42cbf9b848f9","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 130250153212, 1795369781886, 'model-replied', '869e42cbf9b848f9', 451, '{"v":1,"type":"model-replied","turn":"869e42cbf9b848f9","model":"scripted","text":"","toolCalls":[{"id":"869e42cbf9b848f9.3.0","providerId":"call_0_0","name":"keep","input":"{\"it\":\"shell\"}"},{"id":"869e42cbf9b848f9.3.1","providerId":"call_0_1","name":"keep","input":"{\"it\":\"stone\"}"},{"id":"869e42cbf9b848f9.3.2","providerId":"call_0_2","name":"agent_process","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 130250153212, 1795369781886, 'tool-call-started', '869e42cbf9b848f9', 112, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 130250153212, 1795369781886, 'tool-call-started', '869e42cbf9b848f9', 112, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 130250153212, 1795369781909, 'tool-call-ended', '869e42cbf9b848f9', 572, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.3.2","result":{"type":"text","content":"Tools now available: process_status, process_budget, process_cost, process_history, process_tools_stats, process_models. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool.\n\nUse process_status for current state and runtime. Use process_budget to check limits. Use process_cost to see spending."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"agent_process","scope":"session"}}]}}');
INSERT INTO "events" VALUES (7, 130250153212, 1795369781909, 'tool-call-ended', '869e42cbf9b848f9', 226, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.3.0","result":{"type":"text","content":"Kept shell."},"ms":1,"changes":{"blackboard":[{"name":"shell","type":"Thing","value":{"it":"shell"}}]}}');
INSERT INTO "events" VALUES (8, 130250153212, 1795369781909, 'tool-call-ended', '869e42cbf9b848f9', 226, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.3.1","result":{"type":"text","content":"Kept stone."},"ms":0,"changes":{"blackboard":[{"name":"stone","type":"Thing","value":{"it":"stone"}}]}}');
INSERT INTO "events" VALUES (9, 130250153212, 1795369782038, 'model-replied', '869e42cbf9b848f9', 443, '{"v":1,"type":"model-replied","turn":"869e42cbf9b848f9","model":"scripted","text":"","toolCalls":[{"id":"869e42cbf9b848f9.9.0","providerId":"call_1_0","name":"process_budget","input":"{}"},{"id":"869e42cbf9b848f9.9.1","providerId":"call_1_1","name":"process_cost","input":"{}"},{"id":"869e42cbf9b848f9.9.2","providerId":"call_1_2","name":"process_tools_stats","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 130250153212, 1795369782038, 'tool-call-started', '869e42cbf9b848f9', 106, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 130250153212, 1795369782038, 'tool-call-started', '869e42cbf9b848f9', 106, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.9.1","effect":"read"}');
INSERT INTO "events" VALUES (12, 130250153212, 1795369782038, 'tool-call-started', '869e42cbf9b848f9', 106, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.9.2","effect":"read"}');
INSERT INTO "events" VALUES (13, 130250153212, 1795369782038, 'tool-call-ended', '869e42cbf9b848f9', 267, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.9.0","result":{"type":"text","content":"Budget Status:\n\nCost limit: none\n  Used: $0.0000\n\nToken limit: none\n  Used: 220\n\nAction limit: 40\n  Used: 6\n  Remaining: 34"},"ms":15}');
INSERT INTO "events" VALUES (14, 130250153212, 1795369782038, 'tool-call-ended', '869e42cbf9b848f9', 303, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.9.1","result":{"type":"text","content":"Cost and Usage:\n\nTotal cost: $0.000000\nLLM invocations: 2\nEmbedding invocations: 0\n\nTokens used:\n  Prompt tokens: 200\n  Completion tokens: 20\n  Total tokens: 220"},"ms":1}');
INSERT INTO "events" VALUES (15, 130250153212, 1795369782038, 'tool-call-ended', '869e42cbf9b848f9', 261, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.9.2","result":{"type":"text","content":"Tool Usage Statistics:\n\nTotal tool calls: 3\nUnique tools used: 2\n\nCalls by tool:\n  keep: 2 calls\n  agent_process: 1 calls"},"ms":0}');
INSERT INTO "events" VALUES (16, 130250153212, 1795369782115, 'model-replied', '869e42cbf9b848f9', 399, '{"v":1,"type":"model-replied","turn":"869e42cbf9b848f9","model":"scripted","text":"","toolCalls":[{"id":"869e42cbf9b848f9.16.0","providerId":"call_2_0","name":"blackboard","input":"{}"},{"id":"869e42cbf9b848f9.16.1","providerId":"call_2_1","name":"schedule_message","input":"{\"message\":\"Look again.\",\"when\":\"in 1 hour\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 130250153212, 1795369782115, 'tool-call-started', '869e42cbf9b848f9', 107, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.16.1","effect":"read"}');
INSERT INTO "events" VALUES (18, 130250153212, 1795369782115, 'tool-call-ended', '869e42cbf9b848f9', 552, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.16.0","result":{"type":"text","content":"Tools now available: blackboard_list, blackboard_get, blackboard_last, blackboard_describe, blackboard_count. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool.\n\nUse blackboard_list to see what''s available. Use blackboard_get for named bindings, blackboard_last for the most recent of a type."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"blackboard"}}]}}');
INSERT INTO "events" VALUES (19, 130250153212, 1795369782115, 'tool-call-ended', '869e42cbf9b848f9', 289, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.16.1","result":{"type":"text","content":"Scheduled for 2026-11-22T18:49:42Z, as turn 3752bed8f912005c."},"ms":0,"changes":{"scheduled":[{"turn":"3752bed8f912005c","message":"Look again.","after":3600000}]}}');
INSERT INTO "events" VALUES (20, 130250153212, 1795369782217, 'model-replied', '869e42cbf9b848f9', 485, '{"v":1,"type":"model-replied","turn":"869e42cbf9b848f9","model":"scripted","text":"","toolCalls":[{"id":"869e42cbf9b848f9.20.0","providerId":"call_3_0","name":"blackboard_list","input":"{}"},{"id":"869e42cbf9b848f9.20.1","providerId":"call_3_1","name":"communicate","input":"{\"message\":\"I kept two.\"}"},{"id":"869e42cbf9b848f9.20.2","providerId":"call_3_2","name":"progress","input":"{\"status\":\"Keeping.\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (21, 130250153212, 1795369782217, 'tool-call-started', '869e42cbf9b848f9', 107, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.0","effect":"read"}');
INSERT INTO "events" VALUES (22, 130250153212, 1795369782217, 'tool-call-started', '869e42cbf9b848f9', 107, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.1","effect":"read"}');
INSERT INTO "events" VALUES (23, 130250153212, 1795369782217, 'tool-call-started', '869e42cbf9b848f9', 107, '{"v":1,"type":"tool-call-started","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.2","effect":"read"}');
INSERT INTO "events" VALUES (24, 130250153212, 1795369782217, 'tool-call-ended', '869e42cbf9b848f9', 222, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.0","result":{"type":"text","content":"Blackboard contains 2 object(s):\n[0] Thing bound to ''shell''\n[1] Thing bound to ''stone''"},"ms":0}');
INSERT INTO "events" VALUES (25, 130250153212, 1795369782217, 'message-sent', '869e42cbf9b848f9', 107, '{"v":1,"type":"message-sent","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.1","text":"I kept two."}');
INSERT INTO "events" VALUES (26, 130250153212, 1795369782217, 'tool-call-ended', '869e42cbf9b848f9', 155, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.1","result":{"type":"text","content":"Message sent to user."},"ms":0}');
INSERT INTO "events" VALUES (27, 130250153212, 1795369782217, 'tool-call-ended', '869e42cbf9b848f9', 161, '{"v":1,"type":"tool-call-ended","turn":"869e42cbf9b848f9","call":"869e42cbf9b848f9.20.2","result":{"type":"text","content":"Progress reported: Keeping."},"ms":0}');
INSERT INTO "events" VALUES (28, 130250153212, 1795369782258, 'model-replied', '869e42cbf9b848f9', 167, '{"v":1,"type":"model-replied","turn":"869e42cbf9b848f9","model":"scripted","text":"Kept.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (29, 130250153212, 1795369782258, 'turn-ended', '869e42cbf9b848f9', 75, '{"v":1,"type":"turn-ended","turn":"869e42cbf9b848f9","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 130250153212, '7e5cb2031e904d98', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "inbox" VALUES (1, 'scheduled', '3752bed8f912005c', '{"v":1,"type":"turn-started","turn":"3752bed8f912005c","loopId":"3752bed8f912005c","message":"Look again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('start', '3752bed8f912005c', 1795373382115);
INSERT INTO "_cf_METADATA" VALUES (1, 1795373382115000000);
