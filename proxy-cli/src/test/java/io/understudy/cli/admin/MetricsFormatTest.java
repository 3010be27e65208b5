package io.understudy.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricsFormatTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
                    null                                                                                    | PROMETHEUS
                    */*                                                                                     | PROMETHEUS
                    text/plain                                                                              | PROMETHEUS
                    application/openmetrics-text                                                            | OPENMETRICS
                    Application/OpenMetrics-Text; version=1.0.0; charset=utf-8                              | OPENMETRICS
                    application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1 | OPENMETRICS
                    application/openmetrics-text;q=0.2,text/plain;q=0.9                                     | PROMETHEUS
                    application/openmetrics-text;q=0                                                        | PROMETHEUS
                    application/vnd.google.protobuf;q=0.9,text/plain;q=0.4                                  | PROMETHEUS
                    """)
    void choosesByWeight(String accept, MetricsFormat expected) {
        assertThat(MetricsFormat.of(accept)).isEqualTo(expected);
    }
}
