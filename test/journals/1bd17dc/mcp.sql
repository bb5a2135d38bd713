-- do/holdfast-SessionObject/ff64cc8e7e2b3eeb7166f6e287103cbef0cc5d1dc7fa5af81d20bc4caf1be849.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","mcp","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781518, 'session-opened', '', 78, '{"v":1,"type":"session-opened","incarnation":"848bb97addce47b2","agent":"mcp"}');
INSERT INTO "events" VALUES (2, 0, 1795369781518, 'turn-started', 'ce9216b90e804d85', 137, '{"v":1,"type":"turn-started","turn":"ce9216b90e804d85","loopId":"ce9216b90e804d85","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 262767310757, 1795369781672, 'tools-listed', 'ce9216b90e804d85', 1054, '{"v":1,"type":"tools-listed","turn":"ce9216b90e804d85","facts":[{"slice":"listings","fact":{"key":"[\"wiki\",\"http://localhost/mcp\",null,\"ada\"]","at":1795369781666,"told":{"client":"wiki","at":1795369781666,"fingerprint":"7118c56f12dbf1df8533b0de367ea8058822472469774a55de1e7d93a325af8e","tools":[{"name":"count_words","description":"Counts words.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"hints":{"readOnlyHint":true},"fingerprint":"14b5d11e9916a5c3957b1d2612a860df6e9b04a3dce10544205ae4a120226f7b"},{"name":"read_page","description":"Reads a page.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]},"hints":{"readOnlyHint":true},"fingerprint":"6e744399668fbc3785fe17e1024073c1bbc55149568dedca2d3d2c06b0b042c8"},{"name":"write_page","description":"Writes a page.","inputSchema":{"type":"object","properties":{}},"hints":{"readOnlyHint":false,"idempotentHint":false},"fingerprint":"d851f1414d4c4854b36182143503cfe2abc5740a42ba573afca926862b2885b1"}]}}}]}');
INSERT INTO "events" VALUES (4, 262767310757, 1795369781909, 'model-replied', 'ce9216b90e804d85', 364, '{"v":1,"type":"model-replied","turn":"ce9216b90e804d85","model":"scripted","text":"","toolCalls":[{"id":"ce9216b90e804d85.4.0","providerId":"call_0_0","name":"count_words","input":"{\"text\":\"kelp and tides\"}"},{"id":"ce9216b90e804d85.4.1","providerId":"call_0_1","name":"pages","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (5, 262767310757, 1795369781909, 'tool-call-started', 'ce9216b90e804d85', 106, '{"v":1,"type":"tool-call-started","turn":"ce9216b90e804d85","call":"ce9216b90e804d85.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 262767310757, 1795369781909, 'tool-call-ended', 'ce9216b90e804d85', 346, '{"v":1,"type":"tool-call-ended","turn":"ce9216b90e804d85","call":"ce9216b90e804d85.4.1","result":{"type":"text","content":"Tools now available: read_page, write_page. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"pages"}}]}}');
INSERT INTO "events" VALUES (7, 262767310757, 1795369781909, 'tool-call-ended', 'ce9216b90e804d85', 145, '{"v":1,"type":"tool-call-ended","turn":"ce9216b90e804d85","call":"ce9216b90e804d85.4.0","result":{"type":"artifact","value":{"words":3}},"ms":18}');
INSERT INTO "events" VALUES (8, 262767310757, 1795369782064, 'model-replied', 'ce9216b90e804d85', 271, '{"v":1,"type":"model-replied","turn":"ce9216b90e804d85","model":"scripted","text":"","toolCalls":[{"id":"ce9216b90e804d85.8.0","providerId":"call_1_0","name":"read_page","input":"{\"title\":\"Kelp\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 262767310757, 1795369782064, 'tool-call-started', 'ce9216b90e804d85', 106, '{"v":1,"type":"tool-call-started","turn":"ce9216b90e804d85","call":"ce9216b90e804d85.8.0","effect":"read"}');
INSERT INTO "events" VALUES (10, 262767310757, 1795369782064, 'tool-call-ended', 'ce9216b90e804d85', 149, '{"v":1,"type":"tool-call-ended","turn":"ce9216b90e804d85","call":"ce9216b90e804d85.8.0","result":{"type":"text","content":"All about Kelp."},"ms":21}');
INSERT INTO "events" VALUES (11, 262767310757, 1795369782118, 'model-replied', 'ce9216b90e804d85', 167, '{"v":1,"type":"model-replied","turn":"ce9216b90e804d85","model":"scripted","text":"Read.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 262767310757, 1795369782118, 'turn-ended', 'ce9216b90e804d85', 75, '{"v":1,"type":"turn-ended","turn":"ce9216b90e804d85","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 262767310757, '8cd314a60d2e4691', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
