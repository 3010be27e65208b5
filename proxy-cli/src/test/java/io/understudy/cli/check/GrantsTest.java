package io.understudy.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GrantsTest {
    private static List<String> beyond(String... lines) {
        return new Grants(List.of(lines)).beyondReading();
    }

    @Test
    void readingIsAllThatAMirrorNeeds() {
        assertThat(beyond(
                        "GRANT USAGE ON *.* TO `m`@`%` IDENTIFIED BY PASSWORD '*0'",
                        "GRANT REPLICA MONITOR, BINLOG MONITOR, PROCESS ON *.* TO `m`@`%`",
                        "GRANT SELECT, SHOW VIEW ON `shop`.* TO `m`@`%`",
                        "GRANT SELECT (id, note), SHOW VIEW ON `shop`.`orders` TO `m`@`%`"))
                .isEmpty();
    }

    @Test
    void whateverElseIsNamed() {
        assertThat(beyond("GRANT SELECT, INSERT (a, b), EXECUTE ON `shop`.* TO `m`@`%`"))
                .containsExactly("EXECUTE", "INSERT");
        assertThat(beyond("GRANT ALL PRIVILEGES ON *.* TO `m`@`%` WITH GRANT OPTION"))
                .containsExactly("ALL PRIVILEGES", "GRANT OPTION");
        assertThat(beyond("GRANT `writer`@`%` TO `m`@`%`")).containsExactly("the role `writer`@`%`");
        assertThat(beyond("GRANT FILE ON *.* TO `m`@`%`")).containsExactly("FILE");
    }
}
