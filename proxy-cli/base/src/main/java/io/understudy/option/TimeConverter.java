package io.understudy.option;

import io.understudy.base.Durations;
import java.time.Duration;
import picocli.CommandLine;

/** Converts an option's value to a duration, in the syntax of the configuration file. */
public final class TimeConverter implements CommandLine.ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }
}
