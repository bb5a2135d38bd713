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
INSERT INTO "events" VALUES (1, 0, 1795932561854, 'session-opened', '', 78, '{"v":1,"type":"session-opened","incarnation":"b3f01dc2ebd74bce","agent":"mcp"}');
INSERT INTO "events" VALUES (2, 0, 1795932561854, 'turn-started', 'f9d771e89b7c47de', 137, '{"v":1,"type":"turn-started","turn":"f9d771e89b7c47de","loopId":"f9d771e89b7c47de","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 568319219569, 1795932562584, 'tools-listed', 'f9d771e89b7c47de', 1315, '{"v":1,"type":"tools-listed","turn":"f9d771e89b7c47de","facts":[{"slice":"listings","fact":{"key":"[\"wiki\",\"http://localhost/mcp\",null,\"ada\"]","at":1795932562536,"told":{"client":"wiki","at":1795932562536,"fingerprint":"ad70bd99dc63e6c063e387ec6c5ed6a09a1d87dead3007a7c9f5eed27a9d130f","tools":[{"name":"count_words","description":"Counts words.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"hints":{"readOnlyHint":true},"fingerprint":"618cb70cf5aaa3045dee44a3f3a269c76e68ef074978017bb288619bbd7c91ae"},{"name":"read_page","description":"Reads a page.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"title":{"type":"string"}},"required":["title"]},"hints":{"readOnlyHint":true},"fingerprint":"e214e2a6a4ca290a11d3576d14f1da80b1db0f81dc6c83eb7c35e3cad1bdd333"},{"name":"write_page","description":"Writes a page.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}},"hints":{"readOnlyHint":false,"idempotentHint":false},"fingerprint":"e4ec4aa937c41a5f0b1fda987fde81a0845627d749bf65a8797e601e32f43523"}],"spoken":{"era":"stateless","offers":["tools","logging"]},"ttl":300000}},"at":1795932562547}]}');
INSERT INTO "events" VALUES (4, 568319219569, 1795932563325, 'model-replied', 'f9d771e89b7c47de', 417, '{"v":1,"type":"model-replied","turn":"f9d771e89b7c47de","model":"scripted","text":"","toolCalls":[{"id":"f9d771e89b7c47de.4.0","providerId":"call_0_0","name":"count_words","input":"{\"text\":\"kelp and tides\"}"},{"id":"f9d771e89b7c47de.4.1","providerId":"call_0_1","name":"pages","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1k53i8c"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (5, 568319219569, 1795932563325, 'tool-call-started', 'f9d771e89b7c47de', 106, '{"v":1,"type":"tool-call-started","turn":"f9d771e89b7c47de","call":"f9d771e89b7c47de.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 568319219569, 1795932563325, 'tool-call-ended', 'f9d771e89b7c47de', 365, '{"v":1,"type":"tool-call-ended","turn":"f9d771e89b7c47de","call":"f9d771e89b7c47de.4.1","result":{"type":"text","content":"Tools now available: read_page, write_page. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"pages"},"at":1795932563213}]}}');
INSERT INTO "events" VALUES (7, 568319219569, 1795932563325, 'tool-call-ended', 'f9d771e89b7c47de', 146, '{"v":1,"type":"tool-call-ended","turn":"f9d771e89b7c47de","call":"f9d771e89b7c47de.4.0","result":{"type":"artifact","value":{"words":3}},"ms":102}');
INSERT INTO "events" VALUES (8, 568319219569, 1795932563325, 'tools-changed', 'f9d771e89b7c47de', 393, '{"v":2,"type":"tools-changed","turn":"f9d771e89b7c47de","cause":"session","came":[{"name":"pages","hash":"13wyodx"},{"name":"read_page","hash":"rqx9za"},{"name":"write_page","hash":"1px0gbq"}],"went":[{"name":"pages","hash":"190460w"}],"all":[{"name":"count_words","hash":"cp0nj9"},{"name":"pages","hash":"13wyodx"},{"name":"read_page","hash":"rqx9za"},{"name":"write_page","hash":"1px0gbq"}]}');
INSERT INTO "events" VALUES (9, 568319219569, 1795932563761, 'model-replied', 'f9d771e89b7c47de', 323, '{"v":1,"type":"model-replied","turn":"f9d771e89b7c47de","model":"scripted","text":"","toolCalls":[{"id":"f9d771e89b7c47de.9.0","providerId":"call_1_0","name":"read_page","input":"{\"title\":\"Kelp\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"c1ez94"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 568319219569, 1795932563761, 'tool-call-started', 'f9d771e89b7c47de', 106, '{"v":1,"type":"tool-call-started","turn":"f9d771e89b7c47de","call":"f9d771e89b7c47de.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 568319219569, 1795932563761, 'tool-call-ended', 'f9d771e89b7c47de', 149, '{"v":1,"type":"tool-call-ended","turn":"f9d771e89b7c47de","call":"f9d771e89b7c47de.9.0","result":{"type":"text","content":"All about Kelp."},"ms":50}');
INSERT INTO "events" VALUES (12, 568319219569, 1795932564104, 'model-replied', 'f9d771e89b7c47de', 219, '{"v":1,"type":"model-replied","turn":"f9d771e89b7c47de","model":"scripted","text":"Read.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"c1ez94"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 568319219569, 1795932564104, 'turn-ended', 'f9d771e89b7c47de', 75, '{"v":1,"type":"turn-ended","turn":"f9d771e89b7c47de","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 568319219569, '799e7add78f0419d', NULL, 'free', 'started', 0, 0, 1795932564104, 13, 1795932561854, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
