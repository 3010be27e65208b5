package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.understudy.base.JsonWriter;
import io.understudy.config.bind.RecordShape;
import io.understudy.config.bind.Shape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** The JSON schema accepts what the loader accepts, as far as a schema can express it. */
class ConfigSchemaTest {

    /** YAML 1.2's core schema, in which ~ is null, as in the binder. */
    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setSchema(new CoreSchema()).build();

    private static final String TEXT = ConfigSchema.generate(io.understudy.config.ConfigTexts.PLUGINS);
    private static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(TEXT, InputFormat.JSON);

    private static boolean schemaAccepts(String yaml) {
        Object document = new Load(SETTINGS).loadFromString(yaml);
        return SCHEMA.validate(JsonWriter.write(document), InputFormat.JSON).isEmpty();
    }

    private static boolean loaderAccepts(String yaml) {
        try {
            return io.understudy.config.ConfigTexts.text(yaml).config() != null;
        } catch (ConfigException e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "primary: { address: a:1 }",
                "primary: { address: a:1, tls: , compression: zlib }",
                "primary: { address: a:1, compression: [zstd, zlib], connectTimeout: 250ms }",
                "primary: { address: 'unix:/x', tls: { mode: verify-full, ca: ca.pem } }",
                "primary: { address: a:1, tls: { mode: as-client }, compression: as-client }",
                "primary: { address: '${env:WORD}:1' }",
                "primary: { address: a:1, monitor: { user: u, password: 1234 } }",
                "primary: { address: a:1, connectTimeout: '${env:NUMBER}s' }",
                "{ primary: { address: a:1 }, transport: io_uring, listen: , standbys: , admin: {}, limits: ~ }",
                "{ primary: { address: a:1 }, listen: { address: ['[::1]:3306', 'h:1'], maxConnections: 5 } }",
                "{ primary: { address: a:1 }, listen: { maxConnections: '${env:NUMBER}' } }",
                "{ primary: { address: a:1 }, listen: { tls: { mode: passthrough } } }",
                "{ primary: { address: a:1 }, listen: { proxyProtocol: auto, trustedNetworks: [10.0.0.0/8, fd00::/8]"
                        + " } }",
                "{ primary: { address: a:1 }, standbys: { name: s, address: b:1, user: u } }",
                "{ primary: { address: a:1 }, standbys: [{ name: s, address: b:1, user: u, password: p }] }",
                "{ primary: { address: a:1 }, admin: { enabled: false, address: h:0, token: '${env:TOKEN}' } }",
                "{ primary: { address: a:1 }, limits: { statementBytes: 16MiB, drainTimeout: 0s } }",
                "{ primary: { address: a:1 }, metrics: { otlp: { url: 'https://c/v1/metrics', headers: { A: 1 } } } }",
                "{ primary: { address: a:1 }, metrics: { otlp: { url: 'http://c:1/x', attributes: { a.b: c } } } }",
                "{ primary: { address: a:1 }, plugins: }",
                "{ primary: { address: a:1 }, plugins: { sample: , other-sample: { enabled: false } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { total: 9000000000, factor: 1.5, order: by-session"
                        + " } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { weights: { a: 1 }, rate: 5% } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { rules: [{ name: 1 }, { name: x, sample: 1% }] } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { queue: { statements: 1, bytes: 1B }, initSql: x }"
                        + " } }",
            })
    void bothAccept(String yaml) {
        assertThat(SCHEMA.validate(JsonWriter.write(new Load(SETTINGS).loadFromString(yaml)), InputFormat.JSON))
                .isEmpty();
        assertThat(loaderAccepts(yaml)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "primary:",
                "primary: {}",
                "primary: a:1",
                "primary: { adress: a:1 }",
                "primary: { address: }",
                "primary: { address: a }",
                "primary: { address: 3306 }",
                "primary: { address: [a:1] }",
                "primary: { address: a:1, connectTimeout: 5 }",
                "primary: { address: a:1, connectTimeout: 5 parsecs }",
                "primary: { address: a:1, tls: required }",
                "primary: { address: a:1, tls: { mode: optional } }",
                "primary: { address: a:1, monitor: {} }",
                "primary: { address: a:1, compression: lz4 }",
                "{ primary: { address: a:1 }, unknown: 1 }",
                "{ primary: { address: a:1 }, listen: { maxConnections: '100' } }",
                "{ primary: { address: a:1 }, listen: { maxConnections: 1.5 } }",
                "{ primary: { address: a:1 }, listen: { maxConnections: 3000000000 } }",
                "{ primary: { address: a:1 }, listen: { tls: { requireClientCertificate: 'true', clientCa: x } } }",
                "{ primary: { address: a:1 }, listen: { tls: { certificate: [] } } }",
                "{ primary: { address: a:1 }, listen: { trustedNetworks: everyone } }",
                "{ primary: { address: a:1 }, standbys: [{ name: s, address: b:1 }] }",
                "{ primary: { address: a:1 }, standbys: [null] }",
                "{ primary: { address: a:1 }, admin: { token: [a] } }",
                "{ primary: { address: a:1 }, limits: { statementBytes: 64 } }",
                "{ primary: { address: a:1 }, plugins: { unknown: {} } }",
                "{ primary: { address: a:1 }, plugins: [] }",
                "{ primary: { address: a:1 }, plugins: { sample: [] } }",
                "{ primary: { address: a:1 }, plugins: { sample: { enabled: maybe } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { order: by-statement } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { rate: 10 } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { rules: [{ sample: 1% }] } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { weights: { a: b } } } }",
                "{ primary: { address: a:1 }, plugins: { sample: { factor: a } } }",
            })
    void bothRefuse(String yaml) {
        assertThat(schemaAccepts(yaml)).as("schema").isFalse();
        assertThat(loaderAccepts(yaml)).as("loader").isFalse();
    }

    @Test
    void isDeterministic() {
        assertThat(ConfigSchema.generate(io.understudy.config.ConfigTexts.PLUGINS))
                .isEqualTo(TEXT);
    }

    @Test
    void carriesDefaultsExamplesAndDescriptions() {
        assertThat(TEXT)
                .contains("""
                        "maxConnections": {
                                  "description": "How many clients at a time; the next one gets ERROR 1040 (08004).",
                                  "default": 10000,
                        """.strip())
                .contains("\"default\": \"127.0.0.1:9307\"")
                .contains("\"default\": \"64KiB\"")
                .contains("\"default\": \"5s\"")
                .contains("\"default\": \"preferred\"")
                .contains("\"description\": \"Connections to each standby.\"")
                // A default whose printed form differs from its written form is left out.
                .doesNotContain("***", "Rate[");
    }

    /** The records of the core's sections. */
    static Set<RecordShape> coreRecords() {
        Set<RecordShape> records = new LinkedHashSet<>();
        collect(RecordShape.of(UnderstudyConfig.class), records);
        return records;
    }

    private static void collect(Shape shape, Set<RecordShape> into) {
        if (shape instanceof Shape.ListOf list) {
            collect(list.item(), into);
        } else if (shape instanceof Shape.ScalarOrMapping both) {
            collect(both.mapping(), into);
        } else if (shape instanceof RecordShape record && into.add(record)) {
            record.keys().forEach(key -> collect(key.shape(), into));
        }
    }

    @Test
    void exactlyTheKeysAreDescribed() throws Exception {
        assertThat(coreRecords()).hasSize(19);
        for (RecordShape record : coreRecords()) {
            var file = new Properties();
            try (var in = record.type().getResourceAsStream(record.type().getSimpleName() + ".properties")) {
                file.load(in);
            }
            assertThat(file.keySet())
                    .as(record.type().getSimpleName())
                    .isEqualTo(record.keys().stream().map(RecordShape.Key::name).collect(Collectors.toSet()));
            assertThat(file.values()).allMatch(text -> text.toString().endsWith("."));
        }
    }

    @Test
    void aNestedRecordMayBeDescribedInItsOutermostFile() {
        assertThat(TEXT)
                .containsPattern("\"statements\": \\{\\s+\"description\": \"Statements that may wait.\"")
                .containsPattern("\"bytes\": \\{\\s+\"default\"");
    }

    @Test
    void jsonIsEscaped() {
        assertThat(JsonWriter.writeIndented(Map.of("a\"\\\n\t\u0001\ud800", List.of("\ud83d\ude00", 1, true))))
                .isEqualTo(
                        "{\n  \"a\\\"\\\\\\n\\t\\u0001\uFFFD\": [\n    \"\ud83d\ude00\",\n    1,\n    true\n  ]\n}\n");
    }
}
