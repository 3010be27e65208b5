package io.understudy.plugins.mirror.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.ConfigDiff;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class InitSqlTest {
    private static LoadedConfig load(String initSql) throws Exception {
        return ConfigLoader.load(
                "{ primary: { address: \"p:1\" }, plugins: { mirror: { initSql: " + initSql + " } } }",
                "test.yaml",
                Map.of("mirror", MirrorConfig.class),
                name -> null);
    }

    /** A reload logs what has changed. */
    @Test
    void itsTextIsRunAndNeverShown() throws Exception {
        LoadedConfig one = load("[\"SET @key = 's3cret-one'\"]");
        LoadedConfig two = load("[\"SET @key = 's3cret-two'\", \"SET @a = 1\"]");
        assertThat(ConfigDiff.between(one, two).changes().toString())
                .contains("plugins.mirror.initSql")
                .doesNotContain("s3cret");
        MirrorConfig config =
                (MirrorConfig) Objects.requireNonNull(two.plugins().get("mirror"));
        assertThat(config.toString()).doesNotContain("s3cret");
        assertThat(FirstStatements.of(ServerFlavor.MARIADB, config.timeout(), config.initSql()))
                .endsWith("SET @key = 's3cret-two'", "SET @a = 1");
    }
}
