"""Operations on whole arrays, a file for each subject; `array_rule.py` describes what a rule of one is."""
