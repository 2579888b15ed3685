"""The matrix: scenarios x models x epochs recorded against servers, as it is planned, paced, resumed and counted."""
