-- do/holdfast-SessionObject/ff64cc8e7e2b3eeb7166f6e287103cbef0cc5d1dc7fa5af81d20bc4caf1be849.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (1, '["ada","mcp","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290781, 'session-opened', '', 78, '{"v":1,"type":"session-opened","incarnation":"3e3864d31f584b08","agent":"mcp"}');
INSERT INTO "events" VALUES (2, 0, 1795934290781, 'turn-started', '47ec8adc0c7c4660', 137, '{"v":1,"type":"turn-started","turn":"47ec8adc0c7c4660","loopId":"47ec8adc0c7c4660","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 280221003725, 1795934292494, 'tools-listed', '47ec8adc0c7c4660', 1315, '{"v":1,"type":"tools-listed","turn":"47ec8adc0c7c4660","facts":[{"slice":"listings","fact":{"key":"[\"wiki\",\"http://localhost/mcp\",null,\"ada\"]","at":1795934292404,"told":{"client":"wiki","at":1795934292404,"fingerprint":"ad70bd99dc63e6c063e387ec6c5ed6a09a1d87dead3007a7c9f5eed27a9d130f","tools":[{"name":"count_words","description":"Counts words.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"hints":{"readOnlyHint":true},"fingerprint":"618cb70cf5aaa3045dee44a3f3a269c76e68ef074978017bb288619bbd7c91ae"},{"name":"read_page","description":"Reads a page.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"title":{"type":"string"}},"required":["title"]},"hints":{"readOnlyHint":true},"fingerprint":"e214e2a6a4ca290a11d3576d14f1da80b1db0f81dc6c83eb7c35e3cad1bdd333"},{"name":"write_page","description":"Writes a page.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}},"hints":{"readOnlyHint":false,"idempotentHint":false},"fingerprint":"e4ec4aa937c41a5f0b1fda987fde81a0845627d749bf65a8797e601e32f43523"}],"spoken":{"era":"stateless","offers":["tools","logging"]},"ttl":300000}},"at":1795934292434}]}');
INSERT INTO "events" VALUES (4, 280221003725, 1795934295242, 'model-replied', '47ec8adc0c7c4660', 417, '{"v":1,"type":"model-replied","turn":"47ec8adc0c7c4660","model":"scripted","text":"","toolCalls":[{"id":"47ec8adc0c7c4660.4.0","providerId":"call_0_0","name":"count_words","input":"{\"text\":\"kelp and tides\"}"},{"id":"47ec8adc0c7c4660.4.1","providerId":"call_0_1","name":"pages","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1k53i8c"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (5, 280221003725, 1795934295242, 'tool-call-started', '47ec8adc0c7c4660', 106, '{"v":1,"type":"tool-call-started","turn":"47ec8adc0c7c4660","call":"47ec8adc0c7c4660.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 280221003725, 1795934295242, 'tool-call-ended', '47ec8adc0c7c4660', 365, '{"v":1,"type":"tool-call-ended","turn":"47ec8adc0c7c4660","call":"47ec8adc0c7c4660.4.1","result":{"type":"text","content":"Tools now available: read_page, write_page. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"pages"},"at":1795934294738}]}}');
INSERT INTO "events" VALUES (7, 280221003725, 1795934295242, 'tool-call-ended', '47ec8adc0c7c4660', 146, '{"v":1,"type":"tool-call-ended","turn":"47ec8adc0c7c4660","call":"47ec8adc0c7c4660.4.0","result":{"type":"artifact","value":{"words":3}},"ms":380}');
INSERT INTO "events" VALUES (8, 280221003725, 1795934295242, 'tools-changed', '47ec8adc0c7c4660', 393, '{"v":1,"type":"tools-changed","turn":"47ec8adc0c7c4660","cause":"session","came":[{"name":"pages","hash":"13wyodx"},{"name":"read_page","hash":"rqx9za"},{"name":"write_page","hash":"1px0gbq"}],"went":[{"name":"pages","hash":"190460w"}],"all":[{"name":"count_words","hash":"cp0nj9"},{"name":"pages","hash":"13wyodx"},{"name":"read_page","hash":"rqx9za"},{"name":"write_page","hash":"1px0gbq"}]}');
INSERT INTO "events" VALUES (9, 280221003725, 1795934296580, 'model-replied', '47ec8adc0c7c4660', 323, '{"v":1,"type":"model-replied","turn":"47ec8adc0c7c4660","model":"scripted","text":"","toolCalls":[{"id":"47ec8adc0c7c4660.9.0","providerId":"call_1_0","name":"read_page","input":"{\"title\":\"Kelp\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"c1ez94"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 280221003725, 1795934296580, 'tool-call-started', '47ec8adc0c7c4660', 106, '{"v":1,"type":"tool-call-started","turn":"47ec8adc0c7c4660","call":"47ec8adc0c7c4660.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 280221003725, 1795934296580, 'tool-call-ended', '47ec8adc0c7c4660', 149, '{"v":1,"type":"tool-call-ended","turn":"47ec8adc0c7c4660","call":"47ec8adc0c7c4660.9.0","result":{"type":"text","content":"All about Kelp."},"ms":84}');
INSERT INTO "events" VALUES (12, 280221003725, 1795934297399, 'model-replied', '47ec8adc0c7c4660', 219, '{"v":1,"type":"model-replied","turn":"47ec8adc0c7c4660","model":"scripted","text":"Read.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"c1ez94"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 280221003725, 1795934297399, 'turn-ended', '47ec8adc0c7c4660', 75, '{"v":1,"type":"turn-ended","turn":"47ec8adc0c7c4660","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 280221003725, 'c180daf90c4445b1', NULL, 'free', 'started', 0, 0, 1795934297399, 13, 1795934290781, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
