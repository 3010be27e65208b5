package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.understudy.base.JsonWriter;
import io.understudy.config.bind.RawSection;
import io.understudy.config.bind.RecordShape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The published examples load, match the schema, and contain every key. */
class ExamplesTest {

    /** Stand-ins for the plugins' records, which this module cannot import; only their keys matter here. */
    record Mirror(
            Integer concurrency,
            RawSection queue,
            Duration timeout,
            List<String> initSql,
            String writes,
            String rows,
            String order,
            RawSection pauseAbove,
            List<RawSection> rules) {}

    record CommitLatency(String attribution, Duration slow) {}

    record GtidDomain(String mode, String guard, String learn, List<RawSection> rules) {}

    record QueryLog(Integer digests, String literals, Integer readers, RawSection queue, List<RawSection> rules) {}

    record BlackBox(String memory, Duration poll, String acknowledge, String size) {}

    record Capture(
            String directory,
            String literals,
            String results,
            String fileSize,
            String totalSize,
            String minFree,
            String queue) {}

    private static final Map<String, Class<? extends Record>> PLUGINS = Map.of(
            "mirror", Mirror.class,
            "commit-latency", CommitLatency.class,
            "gtid-domain", GtidDomain.class,
            "query-log", QueryLog.class,
            "black-box", BlackBox.class,
            "capture", Capture.class);

    private static Path example(String name) {
        return Path.of("../../docs/examples").resolve(name);
    }

    private static LoadedConfig load(String name) throws ConfigException {
        return ConfigLoader.load(example(name), PLUGINS, variable -> "a-secret-of-fair-length");
    }

    @ParameterizedTest
    @ValueSource(strings = {"minimal.yaml", "full.yaml"})
    void loadsWithoutAWarning(String name) throws Exception {
        assertThat(load(name).warnings()).isEmpty();
        Object document = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(example(name)));
        assertThat(SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(ConfigSchema.generate(PLUGINS), InputFormat.JSON)
                        .validate(JsonWriter.write(document), InputFormat.JSON))
                .isEmpty();
    }

    @Test
    void theFullExampleNamesEveryKey() throws Exception {
        String text = Files.readString(example("full.yaml"));
        for (RecordShape record : ConfigSchemaTest.coreRecords()) {
            for (RecordShape.Key key : record.keys()) {
                assertThat(text).containsPattern("\\b" + key.name() + ":");
            }
        }
    }

    /** The full example shows the core's defaults, except for accounts, the token and the standby. */
    @Test
    void theFullExampleShowsTheDefaults() throws Exception {
        assertThat(ConfigDiff.between(load("minimal.yaml"), load("full.yaml")).changes().stream()
                        .map(ConfigDiff.Change::path))
                .containsExactly(
                        "primary.monitor",
                        "standbys",
                        "admin.token",
                        "metrics.otlp",
                        "pages",
                        "switchover",
                        "plugins.black-box",
                        "plugins.capture",
                        "plugins.commit-latency",
                        "plugins.gtid-domain",
                        "plugins.mirror",
                        "plugins.query-log");
    }

    /** The reference names every key of the core, and its example of an error is the loader's real message. */
    @Test
    void theReferenceMatchesTheLoader() throws Exception {
        String reference = Files.readString(example("../configuration.md"));
        for (RecordShape record : ConfigSchemaTest.coreRecords()) {
            for (RecordShape.Key key : record.keys()) {
                assertThat(reference).containsPattern("\\| `([A-Za-z.\\[\\]]+\\.)?" + key.name() + "[`.\\[]");
            }
        }
        String example = reference.substring(reference.indexOf("## What errors look like"));
        String[] blocks = example.split("```(yaml|text)?\n", -1);
        assertThatThrownBy(() -> ConfigLoader.load(blocks[1], "bad.yaml", PLUGINS, variable -> null))
                .isInstanceOf(ConfigException.class)
                .hasMessage(blocks[3].stripTrailing());
    }
}
