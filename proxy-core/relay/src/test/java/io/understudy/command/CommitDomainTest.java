package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** As MariaDB 10.11 and 11.4 report commits: without a GTID where only the domain has changed. */
class CommitDomainTest {
    private final CommitDomain domain = new CommitDomain();

    @Test
    void nothingIsOmittedInOneDomain() {
        assertThat(domain.omitted(1)).isNull();
        domain.committed("21-101-7", 1);
        assertThat(domain.omitted(2)).isNull();
        domain.set("21");
        assertThat(domain.omitted(3)).isNull();
    }

    @Test
    void anotherDomainMayHaveTheSameNumber() {
        domain.committed("21-101-7", 1);
        domain.set("22");
        assertThat(domain.omitted(3)).isEqualTo("22-101-7");
        domain.set("23");
        assertThat(domain.omitted(5)).isEqualTo("23-101-7");
        domain.committed("23-101-8", 6);
        assertThat(domain.omitted(7)).isNull();
        domain.set("22");
        assertThat(domain.omitted(9)).isEqualTo("22-101-8");
        domain.reset();
        assertThat(domain.omitted(10)).isNull();
    }

    @Test
    void aDomainForOneStatementEndsWithIt() {
        domain.committed("21-101-7", 1);
        domain.setOnce("25", 2);
        assertThat(domain.omitted(2)).isEqualTo("25-101-7");
        assertThat(domain.omitted(3)).isNull();
        domain.committed("25-101-9", 4);
        domain.setOnce("25", 4);
        assertThat(domain.omitted(5)).as("back in 21").isEqualTo("21-101-9");
        domain.setOnce("26", 6);
        domain.committed("26-101-10", 6);
        assertThat(domain.omitted(7)).isEqualTo("21-101-10");
    }
}
