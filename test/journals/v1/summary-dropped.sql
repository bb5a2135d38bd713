-- do/holdfast-SessionObject/ec0f1dcd12cda4cde6cb76250de2237f9ef37a5d0b2be1bd61fe38ebf6026aca.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","summary-dropped","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561848, 'session-opened', '', 90, '{"v":1,"type":"session-opened","incarnation":"74e3a0f5d9b7435e","agent":"summary-dropped"}');
INSERT INTO "events" VALUES (2, 0, 1795932561848, 'turn-started', 'ab4d27784f8d41a5', 137, '{"v":1,"type":"turn-started","turn":"ab4d27784f8d41a5","loopId":"ab4d27784f8d41a5","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 736869289710, 1795932563270, 'model-replied', 'ab4d27784f8d41a5', 299, '{"v":1,"type":"model-replied","turn":"ab4d27784f8d41a5","model":"scripted","text":"","toolCalls":[{"id":"ab4d27784f8d41a5.3.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 736869289710, 1795932563270, 'tool-call-started', 'ab4d27784f8d41a5', 106, '{"v":1,"type":"tool-call-started","turn":"ab4d27784f8d41a5","call":"ab4d27784f8d41a5.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 736869289710, 1795932563761, 'tool-call-ended', 'ab4d27784f8d41a5', 146, '{"v":1,"type":"tool-call-ended","turn":"ab4d27784f8d41a5","call":"ab4d27784f8d41a5.3.0","result":{"type":"text","content":"pay is done"},"ms":365}');
INSERT INTO "events" VALUES (6, 736869289710, 1795932564102, 'model-replied', 'ab4d27784f8d41a5', 432, '{"v":1,"type":"model-replied","turn":"ab4d27784f8d41a5","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 736869289710, 1795932564102, 'turn-ended', 'ab4d27784f8d41a5', 75, '{"v":1,"type":"turn-ended","turn":"ab4d27784f8d41a5","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795932564478, 'turn-started', 'dc1915fc075d4846', 143, '{"v":1,"type":"turn-started","turn":"dc1915fc075d4846","loopId":"dc1915fc075d4846","message":"And then?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 736869289711, 1795932564753, 'model-replied', 'dc1915fc075d4846', 432, '{"v":1,"type":"model-replied","turn":"dc1915fc075d4846","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 736869289711, 1795932564753, 'turn-ended', 'dc1915fc075d4846', 75, '{"v":1,"type":"turn-ended","turn":"dc1915fc075d4846","outcome":"completed"}');
INSERT INTO "events" VALUES (11, 0, 1795932564895, 'turn-started', 'a044e76d0d5248c0', 137, '{"v":1,"type":"turn-started","turn":"a044e76d0d5248c0","loopId":"a044e76d0d5248c0","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 736869289712, 1795932565142, 'module-event', 'a044e76d0d5248c0', 229, '{"v":8,"type":"module-event","turn":"a044e76d0d5248c0","module":"compaction","facts":[{"slice":"compaction","fact":{"reason":"no-shorter","from":11,"tokens":117},"at":1795932565072}],"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 736869289712, 1795932565272, 'model-replied', 'a044e76d0d5248c0', 218, '{"v":1,"type":"model-replied","turn":"a044e76d0d5248c0","model":"scripted","text":"Yes.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 736869289712, 1795932565272, 'turn-ended', 'a044e76d0d5248c0', 75, '{"v":1,"type":"turn-ended","turn":"a044e76d0d5248c0","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 736869289712, '1fe03c043ec040a1', NULL, 'free', 'started', 0, 0, 1795932565272, 14, 1795932564896, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
