"""Each page of docs/integrations: its configuration goes through the doctor, against a stand-in of the system."""
